// How many examples make a step.

export const BATCH = 64;
