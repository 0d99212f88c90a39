// Data in a printed script.

const WIDTH = 116;

/** Words in lines, a space between them. @param {readonly string[]} words */
export function wrapped(words) {
  const lines = [''];
  for (const word of words) {
    const line = lines[lines.length - 1];
    if (line && line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.join('\n');
}
