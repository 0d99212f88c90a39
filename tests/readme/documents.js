// The README and the files of docs/, and what in them is run or looked up: their JavaScript examples, quotes, commands,
// links and the names of files.

import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { project } from '../../tools/folders.js';

/**
 * @typedef {object} Document
 * @property {string} name such as docs/speed.md
 * @property {string} text
 *
 * @typedef {object} Example
 * @property {string} document
 * @property {string} name of the example: docs-javascript-2
 * @property {string} code
 * @property {string | undefined} printed the text block after it: what it must print
 */

/** @type {Document[]} */
export const documents = ['README.md', ...readdirSync(join(project, 'docs')).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(join(project, name), 'utf8') }));

/** @param {string} name @returns {string} */
export const textOf = (name) => documents.find((document) => document.name === name)?.text ?? '';

/** @param {Document} document @returns {Example[]} in their order */
function examplesOf({ name, text }) {
  const blocks = text.matchAll(/^```js\n([^]*?)^```\n(?:\s*^```text\n([^]*?)^```$)?/gm);
  return [...blocks].map(([, code, printed], i) => ({
    document: name,
    name: `${name.replace('.md', '').replaceAll('/', '-')}-${i + 1}`,
    code,
    printed
  }));
}

export const examples = documents.flatMap(examplesOf);

/** C++ and Python blocks, each with the file that the text names just before it. @param {Document} document */
export function quotesOf({ text }) {
  const blocks = text.matchAll(/`([\w/.]+)`[^`\n]*:\n\n```(?:cpp|python)\n([^]*?)^```$/gm);
  return [...blocks].map(([, file, code]) => ({ file, code }));
}

/** What stands in backticks in a line of text, outside of blocks. @param {Document} document */
export function spansOf({ text }) {
  return [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, span]) => span);
}

/** Each command, from text and from blocks of commands. @param {Document} document */
export function commandsOf(document) {
  const blocks = [...document.text.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, lines]) => lines.trim().split('\n'));
  return [...blocks, ...spansOf(document)]
    .map((line) => line.replace(/ +#.*/, ''))
    .filter((line) => /^(npm|node) /.test(line));
}

/**
 * Links and pictures that lead to another place of the repository, each as the file and the heading in it.
 * @param {Document} document
 */
export function linksOf({ name, text }) {
  return [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target]) => {
    const [file, heading = ''] = target.split('#');
    return { file: file ? posix.join(posix.dirname(name), file) : name, heading };
  });
}

/** What a link calls the headings of a file. @param {string} name */
export function headingsOf(name) {
  const titles = [...textOf(name).matchAll(/^#+ (.*)$/gm)].map(([, title]) => title);
  return titles.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
  );
}

/** The rows of each table, as cells. @param {string} text */
export function tablesOf(text) {
  return text
    .split(/\n\n/)
    .filter((block) => block.startsWith('|'))
    .map((block) =>
      block
        .trim()
        .split('\n')
        .map((line) =>
          line
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim())
        )
    );
}
