// Memory as stacked bars on one scale: what inference and a step of training need at their peaks, what the step keeps
// from forward to backward.

import { html, nothing, svg } from 'lit';
import { formatBytes } from '../../plain/format.js';

/** @typedef {{ name: string, tone: string, bytes: number }} Segment */

/** @param {any} memory @param {number} [peak] @returns {Segment[]} */
const inferenceSegments = (memory, peak = memory.activations_peak) => [
  { name: 'parameters', tone: 'a', bytes: memory.parameters },
  { name: 'inputs', tone: 'b', bytes: memory.inputs },
  { name: 'activations at the peak', tone: 'c', bytes: peak }
];

/** @param {import('../../lib/index.js').TrainingMemory} memory @returns {Segment[]} */
const stepSegments = (memory) => [
  { name: 'parameters', tone: 'a', bytes: memory.parameters },
  { name: 'optimizer', tone: 'e', bytes: memory.optimizer },
  { name: 'inputs and target', tone: 'b', bytes: memory.inputs },
  { name: 'noise of dropout', tone: 'd', bytes: memory.noise },
  { name: 'activations and gradients at the peak', tone: 'c', bytes: memory.activations_peak }
];

/** @param {any} memory @returns {Segment[]} */
function trainingSegments(memory) {
  const named = memory.parameters + memory.gradients + memory.saved_for_backward;
  return [
    { name: 'parameters', tone: 'a', bytes: memory.parameters },
    { name: 'gradients', tone: 'd', bytes: memory.gradients },
    { name: 'saved for backward', tone: 'b', bytes: memory.saved_for_backward },
    { name: 'results still held', tone: 'c', bytes: memory.kept_for_backward - named }
  ];
}

/**
 * @param {any} estimate
 * @param {import('../../plain/store.js').Training} training of a whole step
 */
export function memoryView({ memory, config }, { memory: training }) {
  const trains = memory.kept_for_backward !== null;
  const scale = Math.max(memory.inference_total, memory.kept_for_backward ?? 0, training?.peak ?? 0);
  return html`
    <section class="panel memory" part="panel" id="memory" aria-labelledby="memory-title">
      <h2 id="memory-title" class="panel-title">Memory <span class="panel-note">in ${config.dtype}</span></h2>
      ${bar('Inference, at its peak', memory.inference_total, inferenceSegments(memory), scale)}
      ${
        memory.inference_total_without_weights < memory.inference_total
          ? bar(
              'Inference without attention weights, scores made part by part',
              memory.inference_total_without_weights,
              inferenceSegments(memory, memory.activations_peak_without_weights),
              scale
            )
          : nothing
      }
      ${
        trains
          ? bar('Training, kept from forward to backward', memory.kept_for_backward, trainingSegments(memory), scale)
          : html`<div class="bar-row"><h3>Training</h3><p class="bar-total">–</p><p class="bar-none">${config.dtype} is
            a format for inference: nothing is saved, no gradient exists.</p></div>`
      }
      ${training ? bar('A step of training with Adam, at its peak', training.peak, stepSegments(training), scale) : nothing}
    </section>`;
}

/** @param {string} title @param {number} total @param {Segment[]} segments @param {number} scale */
function bar(title, total, segments, scale) {
  let from = 0;
  const rects = segments.map(({ tone, bytes }) => {
    const x = (from / scale) * 100;
    from += bytes;
    return svg`<rect class=${`tone-${tone}`} x=${`${x}%`} y="0" width=${`${(bytes / scale) * 100}%`}
      height="100%"></rect>`;
  });
  return html`
    <div class="bar-row">
      <h3>${title}</h3>
      <p class="bar-total">${formatBytes(total)}</p>
      <svg class="bar" aria-hidden="true">${rects}</svg>
      <ul class="legend">
        ${segments.map(({ name, tone, bytes }) =>
          bytes > 0
            ? html`<li><span class="swatch tone-${tone}" aria-hidden="true"></span>${name} <b>${formatBytes(bytes)}</b></li>`
            : nothing
        )}
      </ul>
    </div>`;
}
