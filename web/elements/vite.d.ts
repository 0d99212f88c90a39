/// <reference types="vite/client" />

declare module 'virtual:field-names' {
  /** Every field of every layer, with `layer` and `seed`. */
  export const fieldNames: string[];
  /** Those that are true or false. */
  export const switchNames: string[];
}
