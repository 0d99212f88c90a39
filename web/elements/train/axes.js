// How far the axes of the curves go: so far that a run seldom outgrows them.

/** Steps that are in sight at first, where a run does not pause before. */
const IN_SIGHT = 500;
/** Above the loss of guessing among all classes, with which a run begins. */
const ABOVE = 1.1;

/**
 * @param {import('../../plain/train/settings.js').Checked} checked
 * @param {import('../../plain/train/tasks.js').Data | null | undefined} data of the run, or that it would have
 * @param {import('./player.js').Player} player
 * @returns {import('./curves.js').Axes}
 */
export function axesOf({ plan, pauseEvery }, data, { run, step }) {
  const config = (run?.job.plan ?? plan)?.config;
  const classes = config?.num_classes ?? config?.vocab_size ?? 2;
  const apart = Math.min(pauseEvery || IN_SIGHT, IN_SIGHT);
  return {
    last: apart * Math.max(1, Math.ceil(step / apart)),
    top: ABOVE * Math.log(classes),
    chance: data?.chance ?? 0
  };
}
