// What training takes in mixed precision: the layer in 16 bits, and beside it in float32 what an optimizer adds small
// steps to. Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", section
// 3.1: 2 bytes of weight, 2 of gradient, and 4 each of a copy of the weight and of Adam's two moments.

import { html } from 'lit';
import { formatBytes } from '../../plain/format.js';

const SIXTEEN_BITS = 2; // bytes
const SOURCE = 'https://arxiv.org/abs/1910.02054';

/**
 * The bytes of a whole step in mixed precision, from those of one that keeps everything in 16 bits. `optimizer` holds
 * two moments there, 4 bytes a parameter; in float32 they are 8, and the copy of the weights is 4 more.
 * @param {import('../../lib/index.js').TrainingMemory} memory
 */
export const mixedMemory = ({ peak, kept, optimizer }) => ({ peak: peak + 2 * optimizer, kept: kept + 2 * optimizer });

/** @param {any} estimate */
export const isInSixteenBits = ({ bytes_per_element: bytes }) => bytes === SIXTEEN_BITS;

/**
 * The rest of what there is to say of training in 16 bits, for those who open it.
 * @param {any} estimate @param {import('../../lib/index.js').TrainingMemory} memory
 */
export const mixedDetails = (
  { config },
  memory
) => html`Between steps: ${formatBytes(mixedMemory(memory).kept)} in mixed
  precision, ${formatBytes(memory.kept)} all in ${config.dtype}. Mixed precision keeps a copy of the weights and both moments of
  Adam in float32: 16 bytes a parameter instead of 8 (<a href=${SOURCE}>ZeRO</a>).`;
