// A checksum tells data of the same name apart: a file from another one, examples from others.

const CRC_32 = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit += 1) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});

/** CRC-32, as zip has it, in eight hexadecimal digits. @param {Uint8Array} bytes */
export function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) sum = (sum >>> 8) ^ CRC_32[(sum ^ byte) & 0xff];
  return (~sum >>> 0).toString(16).padStart(8, '0');
}
