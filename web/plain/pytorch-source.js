// A layer as PyTorch, for reading and for running. No DOM.

/**
 * @typedef {import('../lib/index.js').Attnscope} Scope
 * @typedef {import('../lib/index.js').Estimate} Estimate
 */

/**
 * The arguments by which a batch of texts hides its padding, one for each mask of the layer, in the words of
 * transformers' tokenizers: their `attention_mask` of (batch, position) is 1 where there is a token. Empty for a layer
 * without masks.
 * @param {Pick<Estimate, 'inputs'>} estimate
 */
export const maskArguments = ({ inputs }) =>
  inputs
    .filter(({ optional }) => optional)
    .map(({ name, shape }) => {
      const dimensions = Array(shape.length - 2).fill('None');
      const index = dimensions.length ? `[:, ${dimensions.join(', ')}]` : '';
      return `${name}=${name.replace('mask', 'attention_mask')}.bool()${index}`;
    });

export class PyTorchSource {
  #scope;
  #config;
  #mask;
  #script = '';

  /** @param {Scope} scope @param {any} config @param {boolean} mask whether `forward` takes the layer's masks */
  constructor(scope, config, mask) {
    this.#scope = scope;
    this.#config = config;
    this.#mask = mask;
    /** The imports and the classes. */
    this.module = scope.pytorch(config, { self_check: false, mask });
  }

  /** The same with its self-check: a file to run. It is printed when it is first asked for. */
  get script() {
    this.#script ||= this.#scope.pytorch(this.#config, { mask: this.#mask });
    return this.#script;
  }
}
