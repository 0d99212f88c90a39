// Any tensor of a variant, or the gradient of it, as a heat map, while it learns.

import { html, nothing } from 'lit';
import { formatShape } from '../../../plain/format.js';
import { follows } from '../../form/follows.js';
import { heatMap } from '../../labs/pictures.js';

/**
 * @typedef {{ name: string, shape: number[], axes: readonly string[], of: 'parameter' | 'step' | 'input' }} Listed
 *
 * @typedef {object} TensorState
 * @property {readonly { name: string, title: string }[]} variants
 * @property {string} variant
 * @property {readonly Listed[]} tensors none before a run
 * @property {string} tensor its name
 * @property {boolean} gradient
 * @property {number} index of the held-out example
 * @property {{ tensor: import('../../labs/pictures.js').Map['tensor'], name: string, axes: string[] } | null} drawn
 * @property {number} step at which it is so
 * @property {string} problem why it cannot be drawn
 *
 * @typedef {(patch: Partial<Pick<TensorState, 'variant' | 'tensor' | 'gradient' | 'index'>>) => void} Look
 * @typedef {{ look: Look }} TensorActions
 */

const GROUPS = /** @type {const} */ ([
  { of: 'parameter', title: 'Parameters' },
  { of: 'step', title: 'Between the steps' },
  { of: 'input', title: 'Inputs' }
]);

/** @param {TensorState} state @param {TensorActions} actions */
export function tensorView(state, { look }) {
  const { variants, variant, tensors, tensor, gradient, drawn, problem, step } = state;
  return html`
    <div class="panel-head"><h2 class="panel-title" id="tensor-title">Any tensor, while it learns</h2>
      ${
        tensors.length
          ? html`<div class="actions tensor-controls">
        <label><span class="hidden">Layer</span><select name="tensor-variant" @change=${(/** @type {any} */ event) => look({ variant: event.target.value })}>${variants.map(
          ({ name, title }) =>
            html`<option value=${name} ?selected=${name === variant} ${follows('selected', name === variant)}>${title}</option>`
        )}</select></label>
        <label><span class="hidden">Tensor</span><select name="tensor" @change=${(/** @type {any} */ event) => look({ tensor: event.target.value })}>${GROUPS.map(
          ({ of, title }) =>
            html`<optgroup label=${title}>${tensors
              .filter((one) => one.of === of)
              .map(
                ({ name, shape }) =>
                  html`<option value=${name} ?selected=${name === tensor} ${follows('selected', name === tensor)}>${name}, ${formatShape(shape)}</option>`
              )}</optgroup>`
        )}</select></label>
        <label class="switch-label"><input class="switch" type="checkbox" role="switch" name="tensor-gradient" ?checked=${gradient} ${follows('checked', gradient)}
          @change=${(/** @type {any} */ event) => look({ gradient: event.target.checked })}> Its gradient</label></div>`
          : nothing
      }
    </div>
    ${problem ? html`<p class="note" role="status" data-tensor-problem>${problem}</p>` : nothing}
    ${
      drawn
        ? html`<p class="note" data-tensor-step=${step}>${gradient ? gradientText(tensors.find(({ name }) => name === tensor)?.of) : 'Of the first seed and its first held-out example'}, at step ${step}.</p>
          ${heatMap(drawn, { live: true, set() {} })}`
        : problem
          ? nothing
          : html`<p class="note">Play, or make one step: then every parameter, every number between the steps and its gradient can be drawn.</p>`
    }`;
}

/** @param {Listed['of'] | undefined} of */
const gradientText = (of) =>
  of === 'parameter'
    ? 'The gradient of the loss in the last step'
    : 'The gradient of the right class’s logit, less the mean of the others’, for the first held-out example';
