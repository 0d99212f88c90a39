// A layer as PyTorch, for reading and for running. No DOM.

/** @typedef {import('../lib/index.js').Attnscope} Scope */

export class PyTorchSource {
  #scope;
  #config;
  #script = '';

  /** @param {Scope} scope @param {any} config */
  constructor(scope, config) {
    this.#scope = scope;
    this.#config = config;
    /** The imports and the classes. */
    this.module = scope.pytorch(config, { self_check: false });
  }

  /** The same with its self-check: a file to run. It is printed when it is first asked for. */
  get script() {
    this.#script ||= this.#scope.pytorch(this.#config);
    return this.#script;
  }
}
