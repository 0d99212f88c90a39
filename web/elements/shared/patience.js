// A worker that ends without an error event, as where the browser takes back its memory, answers no call any more.

/** How often the wait is looked at. A page that sleeps does not, so its sleep is no wait. */
const TICK_MS = 1000;
/** A call may take as many times the longest wait before it. */
const TIMES = 10;

/** Milliseconds that a call may always take: a slice of steps, and any other task. */
export const WAITS = { slice: 10_000, task: 60_000 };

export class Patience {
  /** Milliseconds that an answer has taken. */
  #longest = 0;

  /**
   * The answer of a worker. Rejected where none has come for `least` milliseconds and for ten times the longest wait
   * before.
   * @template T
   * @param {Promise<T>} asked @param {number} least
   * @returns {Promise<T>}
   */
  async answer(asked, least) {
    const start = performance.now();
    /** @type {ReturnType<typeof setInterval> | undefined} */
    let timer;
    let waited = 0;
    /** @type {Promise<never>} */
    const silence = new Promise((_, reject) => {
      timer = setInterval(() => {
        waited += TICK_MS;
        if (waited > Math.max(least, TIMES * this.#longest)) reject(new Error(silent(waited)));
      }, TICK_MS);
    });
    try {
      const answer = await Promise.race([asked, silence]);
      this.#longest = Math.max(this.#longest, performance.now() - start);
      return answer;
    } finally {
      clearInterval(timer);
    }
  }
}

/** @param {number} waited milliseconds */
const silent = (waited) =>
  `The worker has sent nothing for ${waited / 1000} s: this browser seems to have ended it. What is kept can go on`;
