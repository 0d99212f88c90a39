// Differences between engines: builtin modules, and how a worker starts. Node's gets what a web worker has.

import { trustedUrl } from './policy.js';

const READY = 'attnscope: ready';

/** A module of Node's own, or of a compatible engine; undefined in a page. @param {string} name @returns {any} */
export function builtin(name) {
  return /** @type {any} */ (globalThis).process?.getBuiltinModule?.(name);
}

/** Also in a page's worker. The DOM that tests put into Node has no createObjectURL(). */
const inPage = () => globalThis.location !== undefined && URL.createObjectURL !== undefined;

/**
 * Starts a worker, whose file calls `sayReady()` when it listens. `worker` takes messages at once, if it starts;
 * `ready` rejects with the reason if not.
 * @param {() => Worker} open as files.js has it, in its words, which bundlers know
 * @returns {{worker?: Worker, ready: Promise<Worker>, end: () => void}}
 */
export function startWorker(open) {
  const violations = watchPolicy();
  const { worker, url, error } = opened(open);
  if (!worker) {
    violations.stop();
    return { ready: Promise.reject(error), end() {} };
  }
  const ready = new Promise((resolve) => {
    const fail = (/** @type {string} */ reason) => Promise.reject(new Error(reason));
    const listeners = Object.entries({
      message: (/** @type {any} */ { data }) => data === READY && decide(worker),
      error(/** @type {any} */ event) {
        event.preventDefault(); // `ready` tells it
        decide(whyNot(url, event.message, violations.last()).then(fail));
      },
      close: () => decide(fail(`the worker ${url} ended before it listened`))
    });
    // An error after READY is one of the worker's work. No AbortSignal removes the listeners: of several on one target
    // Node forgets all but the last when garbage is collected.
    const decide = (/** @type {any} */ outcome) => {
      for (const [type, listener] of listeners) worker.removeEventListener(type, listener);
      resolve(outcome);
    };
    for (const [type, listener] of listeners) worker.addEventListener(type, listener);
  });
  ready.catch(() => worker.terminate()).finally(violations.stop);
  return { worker, ready, end: () => worker.terminate() };
}

/**
 * The address of a worker's file with this text. Node knows no `blob:`; pages share no memory with `data:`.
 * @param {string} text
 */
export function addressOf(text) {
  const type = 'text/javascript';
  if (inPage()) return URL.createObjectURL(new Blob([text], { type }));
  return `data:${type},${encodeURIComponent(text)}`;
}

/** Inside a worker: it listens. */
export function sayReady() {
  starter().post(READY);
}

/** Inside a worker: who started it. */
export function starter() {
  const scope = /** @type {any} */ (globalThis);
  const port = builtin('node:worker_threads')?.parentPort;
  return {
    post: (/** @type {unknown} */ message, /** @type {any} */ transfer = []) =>
      (port ?? scope).postMessage(message, transfer),
    /** @param {(message: unknown) => void} take */
    listen: (take) =>
      port ? port.on('message', take) : scope.addEventListener('message', (/** @type {any} */ { data }) => take(data))
  };
}

/**
 * Inside a worker, before anything else: gives a worker of Node `self`, `name`, `postMessage` and `onmessage`.
 * @param {string} name what `self.name` is to be
 */
export function becomeWorker(name) {
  const scope = /** @type {any} */ (globalThis);
  scope.name = name;
  scope.WorkerGlobalScope ??= class WorkerGlobalScope {};
  scope.self ??= scope;
  if (scope.postMessage) return;
  const { parentPort } = builtin('node:worker_threads');
  scope.postMessage = (/** @type {unknown} */ message, /** @type {any} */ transfer) =>
    parentPort.postMessage(message, transfer);
  parentPort.on('message', (/** @type {unknown} */ data) => scope.onmessage?.({ data }));
}

/**
 * Calls `open` with a global `Worker` that this engine can start.
 * @param {() => Worker} open
 * @returns {{worker?: Worker, url: string, error?: unknown}}
 */
function opened(open) {
  const Web = globalThis.Worker;
  let url = '';
  const Started = function (/** @type {string | URL} */ address, /** @type {WorkerOptions} */ options) {
    url = String(address);
    return begin(url, { name: 'attnscope', ...options }, Web);
  };
  try {
    const worker = withGlobal('Worker', Started, open);
    return { worker, url };
  } catch (error) {
    return { url, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

/**
 * Calls `work` while a global has another value.
 * @template T
 * @param {string} name @param {unknown} value @param {() => T} work @returns {T}
 */
function withGlobal(name, value, work) {
  const own = Object.getOwnPropertyDescriptor(globalThis, name);
  try {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    return work();
  } finally {
    if (own) Object.defineProperty(globalThis, name, own);
    else Reflect.deleteProperty(globalThis, name);
  }
}

/**
 * Calls `work` with a `TextDecoder`, which the core needs and Jest's jsdom hides.
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
export function withTextDecoder(work) {
  if (globalThis.TextDecoder) return work();
  const { TextDecoder } = builtin('node:util') ?? {};
  if (!TextDecoder) throw new Error('this engine has no TextDecoder, which attnscope needs');
  return withGlobal('TextDecoder', TextDecoder, work);
}

/** @param {string} url @param {WorkerOptions} options @param {typeof Worker} [Web] @returns {Worker} */
function begin(url, options, Web) {
  if (!Web || !(inPage() || 'unref' in Web.prototype)) {
    // Also Deno's: its own Worker would keep the process alive.
    if (!builtin('node:worker_threads')) throw new Error('this engine has no workers');
    return /** @type {any} */ (new NodeWorker(url, options));
  }
  const address = isForeign(url) ? addressOf(`import ${JSON.stringify(url)};`) : url;
  const { trustedTypes } = /** @type {any} */ (globalThis);
  const trusted = trustedTypes && trustedUrl(trustedTypes, address);
  try {
    return new Web(trusted ?? address, options);
  } catch (error) {
    if (!(error instanceof TypeError) || !trustedTypes || trusted) throw error;
    throw new Error(
      'the page requires Trusted Types, and its Content-Security-Policy does not name the policy "attnscope"',
      { cause: error }
    );
  }
}

/** A worker may only be started from the page's own origin. @param {string} url */
function isForeign(url) {
  if (!inPage()) return false;
  const { protocol, origin } = new URL(url, globalThis.location.href);
  return /^https?:$/.test(protocol) && origin !== globalThis.location.origin;
}

/** Notes what the page's policy forbids meanwhile. */
function watchPolicy() {
  let last = '';
  const heard = (/** @type {any} */ event) => {
    last = event.violatedDirective;
  };
  globalThis.addEventListener?.('securitypolicyviolation', heard);
  return { last: () => last, stop: () => globalThis.removeEventListener?.('securitypolicyviolation', heard) };
}

/**
 * Browsers do not say why a worker's file did not load: its address is asked once more.
 * @param {string} url @param {string} [message] @param {string} [directive]
 */
async function whyNot(url, message, directive) {
  if (directive) return `the page's Content-Security-Policy (${directive}) forbids the worker ${url}`;
  if (message) return message;
  const response = await fetch(url).catch(() => null);
  if (response && !response.ok) return `the server answers HTTP ${response.status} for the worker ${url}`;
  const type = response?.headers.get('Content-Type') ?? '';
  if (response && !/javascript/.test(type))
    return `the server sends the worker ${url} as ${type || 'a file without Content-Type'}`;
  const isolated = response?.headers.has('Cross-Origin-Embedder-Policy') ?? true;
  if (globalThis.crossOriginIsolated && !isolated) {
    return `the server sends the worker ${url} without the header Cross-Origin-Embedder-Policy: require-corp`;
  }
  return `the browser refused the worker ${url} without saying why`;
}

/** A thread of node:worker_threads in the manner of a web Worker. */
class NodeWorker extends EventTarget {
  #thread;
  /** @type {((event: any) => void) | null} */
  onmessage = null;
  /** @type {((event: any) => void) | null} */
  onerror = null;

  /**
   * @param {string} url of a file, or with the text itself @param {WorkerOptions} options
   */
  constructor(url, { name }) {
    super();
    const { Worker } = builtin('node:worker_threads');
    const file = url.startsWith('file:') && builtin('node:url').fileURLToPath(url);
    if (file && !builtin('node:fs').existsSync(file)) throw new Error(`there is no file ${file}`);
    // Without the flags of the process.
    this.#thread = new Worker(new URL(url), { name, execArgv: [] });
    this.#thread.on('message', (/** @type {unknown} */ data) => this.#tell('message', { data }));
    this.#thread.on('error', (/** @type {Error} */ error) => this.#tell('error', { message: error.message, error }));
    this.#thread.on('exit', () => this.#tell('close', {}));
  }

  /** @param {unknown} message @param {any} [transfer] */
  postMessage(message, transfer) {
    this.#thread.postMessage(message, transfer);
  }

  terminate() {
    this.#thread.terminate();
  }

  ref() {
    this.#thread.ref();
  }

  unref() {
    this.#thread.unref();
  }

  /** @param {'message' | 'error' | 'close'} type @param {object} fields */
  #tell(type, fields) {
    const event = Object.assign(new Event(type), fields);
    if (type !== 'close') this[`on${type}`]?.(event);
    this.dispatchEvent(event);
  }
}
