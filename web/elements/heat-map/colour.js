// Viridis (van der Walt and Smith 2015): perceptually even, readable without colour vision.

const STOPS = ['440154', '472d7b', '3b528b', '2c728e', '21918c', '28ae80', '5ec962', 'addc30', 'fde725'].map((hex) =>
  [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16))
);

const SIZE = 256;

/** 256 colours as RGBA bytes in the order that ImageData has. */
export const viridis = new Uint8ClampedArray(SIZE * 4);
for (let index = 0; index < SIZE; index += 1) {
  const place = (index / (SIZE - 1)) * (STOPS.length - 1);
  const from = Math.min(Math.floor(place), STOPS.length - 2);
  for (let channel = 0; channel < 3; channel += 1) {
    const [low, high] = [STOPS[from][channel], STOPS[from + 1][channel]];
    viridis[index * 4 + channel] = low + (high - low) * (place - from);
  }
  viridis[index * 4 + 3] = 255;
}

/** Byte offset in `viridis` of a share from 0 to 1. @param {number} share */
export const colourAt = (share) => Math.max(0, Math.min(SIZE - 1, Math.round(share * (SIZE - 1)))) * 4;
