// What is shown of a variant's tensors, as its first seed has them now.

import { isFree } from './asking.js';

/**
 * @typedef {import('../contest.js').Contest} Contest
 * @typedef {import('./tensor-view.js').TensorState} TensorState
 * @typedef {import('./tensor-view.js').Listed} Listed
 */

/**
 * @param {{ contest: Contest, lists: import('./asking.js').Asking<any>, tensors: import('./asking.js').Asking<any>
 *   }} asked
 * @param {{ variant: string, tensor: string, gradient: boolean, index: number }} chosen
 * @returns {TensorState}
 */
export function tensorStateOf({ contest, lists, tensors }, { variant: wanted, tensor: named, gradient, index }) {
  const { variants, plan, playing } = contest;
  const variant = variants.find(({ name }) => name === wanted) ?? variants[0];
  const seed = plan?.first_seed ?? 0;
  const run = variant?.seeds[0];
  const none = {
    variants,
    variant: variant?.name ?? '',
    tensors: [],
    tensor: '',
    gradient,
    index,
    drawn: null,
    step: 0,
    problem: ''
  };
  if (!variant || !run || run.points.length === 0) return none;
  const isOpen = isFree(contest, variant, seed);
  if (isOpen)
    lists.want(JSON.stringify([plan, variant.name]), playing, async () => ({
      variant: variant.name,
      all: await contest.ask(variant.name, seed, 'tensors')
    }));
  /** @type {Listed[]} */
  const listed = lists.answer?.variant === variant.name ? lists.answer.all : [];
  const tensor = (listed.find(({ name }) => name === named) ?? listed.find(({ of }) => of === 'parameter'))?.name ?? '';
  const key = tensor && isOpen ? JSON.stringify([plan, variant.name, tensor, gradient, index, run.step]) : '';
  tensors.want(key, playing, async () => ({
    of: [variant.name, tensor, gradient].join(' '),
    step: run.step,
    made: await contest.ask(variant.name, seed, 'tensor', { name: tensor, gradient, index })
  }));
  const own = tensors.answer?.of === [variant.name, tensor, gradient].join(' ') ? tensors.answer : null;
  const axes = listed.find(({ name }) => name === tensor)?.axes ?? [];
  return {
    ...{ ...none, tensors: listed, tensor, step: own?.step ?? 0, problem: tensors.problem },
    drawn: own ? mapOf(own, tensor, gradient, axes) : null
  };
}

const FALLBACK = ['row', 'column'];

/** A vector lies down. @param {readonly number[]} shape */
const isColumn = (shape) => shape.length < 2 || (shape.length === 2 && shape[1] === 1);

/** The maps that were made of answers, so that the same one is not drawn again. @type {WeakMap<object, any>} */
const made = new WeakMap();

/** @param {any} answer @param {string} name @param {boolean} gradient @param {readonly string[]} axes */
function mapOf(answer, name, gradient, axes) {
  const known = made.get(answer);
  if (known) return known;
  const { data, shape: own } = answer.made;
  const shape = isColumn(own) ? [1, own.length ? own[0] : 1] : [...own];
  const names = shape.map((_, at) => axes[at - shape.length + axes.length] ?? FALLBACK.at(at - shape.length) ?? 'part');
  const map = {
    tensor: { data: Float32Array.from(data), shape },
    name: gradient ? `gradient of ${name}` : name,
    axes: names
  };
  made.set(answer, map);
  return map;
}
