/**
 * A function that keeps what it made last, and makes it anew for other arguments: numbers and texts after the first.
 * @template {(scope: any, ...rest: any[]) => any} Make
 * @param {Make} make
 * @returns {Make}
 */
export function remember(make) {
  /** @type {{ scope: any, key: string, made: any } | null} */
  let kept = null;
  const remembering = (/** @type {any} */ scope, /** @type {any[]} */ ...rest) => {
    const key = JSON.stringify(rest);
    if (kept?.scope !== scope || kept?.key !== key) kept = { scope, key, made: make(scope, ...rest) };
    return kept.made;
  };
  return /** @type {Make} */ (remembering);
}
