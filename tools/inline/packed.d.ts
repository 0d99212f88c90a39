// What tools/inline.js puts in place of attnscope:packed.
declare module 'attnscope:packed' {
  /** The text of web/lib/thread.js, with what it imports. */
  export const thread: string;
  /** The text of web/lib/worker/worker.js, with what it imports but for these files. */
  export const worker: string;
  /** By the build's name: the .wasm, compressed, in base64. */
  export const wasm: Record<string, string>;
}
