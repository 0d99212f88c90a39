// A classifier trained on one batch of random texts, step by step.

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./rows.js').Tensor} Tensor */
/** @typedef {{ losses: number[], output: Tensor, gradient: Tensor }} Trained after the last step */

/** The run that goes on. @type {{ scope: Attnscope, seed: number, trainer: any, steps: Trained[] } | null} */
let run = null;

/**
 * What each of so many steps has made; those that were made before are not made again.
 * @param {Attnscope} scope
 * @param {Record<string, any>} config
 * @param {number} seed
 * @param {number} steps
 * @returns {Trained}
 */
export function trained(scope, config, seed, steps) {
  if (!run || run.scope !== scope || run.seed !== seed) {
    run?.trainer.dispose();
    const trainer = scope.trainer(/** @type {any} */ (config), { seed, optimizer: { name: 'adam', lr: 1e-3 } });
    run = { scope, seed, trainer, steps: [] };
  }
  const { batch_size, seq_len, vocab_size, num_classes } = config;
  const batch = {
    tokens: scope.randint(vocab_size, [batch_size, seq_len], { seed: seed + 1 }),
    labels: scope.randint(num_classes, [batch_size], { seed: seed + 2 })
  };
  while (run.steps.length < steps) {
    const { loss } = run.trainer.step(batch);
    const { output } = run.trainer.evaluate(batch);
    const losses = [...(run.steps.at(-1)?.losses ?? []), loss];
    run.steps.push({ losses, output, gradient: run.trainer.gradients()['fc.weight'] });
  }
  return run.steps[steps - 1];
}
