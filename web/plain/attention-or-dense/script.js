// A run of one variant as a script of PyTorch's, that makes the same data and gets the same numbers.

import { streamOf } from './made-source.js';
import { entrantOf } from './entrants.js';
import { sourceOf } from './source.js';
import { taskNamed } from './tasks.js';

/**
 * @typedef {Pick<import('../../lib/index.js').Attnscope, 'pytorch' | 'estimate' | 'layers'>} Scope
 * @typedef {import('./settings.js').Plan} Plan
 * @typedef {import('./points.js').Point} Point
 */

/** Up to this step losses must agree; after it, rounding may have grown, and both are only printed. */
const CERTAIN = 50;

/** What it needs besides the module's own. */
const IMPORTS = ['import sys', 'import torch', 'import torch.nn.functional as F', 'from torch import nn'];

/**
 * @param {Scope} scope @param {Plan} plan @param {import('../tables/table.js').Table | null} table
 * @param {{ variant: string, seed: number, points?: readonly Point[] }} run `points`: what the page has found, if it
 *   has
 */
export function scriptOf(scope, plan, table, { variant, seed, points = [] }) {
  const task = taskNamed(plan.task);
  if (!task) throw new RangeError(`there is no task ${plan.task}`);
  const source = sourceOf(task, plan.values, table);
  const { config, title, starts } = entrantOf(scope, source, plan.batch, plan.budget, variant);
  const own = /** @type {any} */ (config);
  const isPadded = source.padded ?? false;
  const { results } = /** @type {any} */ (scope.estimate(own, { steps: false }));
  const class_name = scope.layers().find(({ name }) => name === config.layer)?.pytorch_class;
  const print = /** @type {any} */ ({ self_check: false, mask: isPadded, imports: IMPORTS });
  return `# ${task.title}: ${title}, seed ${seed}.
${[...(source.imports ?? []), scope.pytorch(own, print).trimEnd()].join('\n')}


# ---- Data ----


${source.python(seed, plan.samples)}


# ---- Training ----

STEPS = ${plan.steps}
RATES = {${[{ step: 0, lr: plan.lr }, ...plan.changes].map(({ step, lr }) => `${step}: ${lr}`).join(', ')}}  # from which step on
# By step: the mean loss since the last of these steps, and the held-out loss, as the page has found them.
EXPECTED = {${points.length ? `\n${points.map(expected).join('')}` : ''}}
CERTAIN = ${source.rounds?.(config) ? 0 : CERTAIN}  # up to this step they must agree; after it, what rounding has done may have grown


def epochs(examples, batch):
    """The places of the examples of each step, in a fresh order in each epoch; the last short batch is dropped."""
    stream = ${streamOf(seed, 'order')}
    while True:
        keys = torch.randint(2**31, (examples,), generator=torch.Generator().manual_seed(stream))
        yield from keys.sort(stable=True).indices.split(batch)[: examples // batch]
        stream += 1


def loss_of(output, labels):
    return ${source.loss === 'cross_entropy' ? 'F.cross_entropy(output, labels)' : 'F.mse_loss(output[:, 0], labels)'}


def said(model, inputs):
    return model(**inputs)${results.length > 1 ? '[0]' : ''}


def main():
    training, labels = examples("training")
    held_out, held_out_labels = examples("held_out")
    torch.manual_seed(${seed})
    model = ${class_name}()
${Object.entries(starts)
  .map(([name, value]) => `    model.get_parameter("${name}").data.view(-1)[0] = ${value}\n`)
  .join('')}\
    optimizer = torch.optim.Adam(model.parameters(), lr=RATES[0])
    losses, since, wrong = [], 0, False
    for step, rows in zip(range(STEPS), epochs(len(labels), ${plan.batch})):
        for group in optimizer.param_groups:
            group["lr"] = RATES.get(step, group["lr"])
        optimizer.zero_grad()
        loss = loss_of(said(model, {name: values[rows] for name, values in training.items()}), labels[rows])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step + 1 in EXPECTED or step + 1 == STEPS:
            with torch.no_grad():
                held = loss_of(said(model, held_out), held_out_labels).item()
            mean, since = sum(losses[since:]) / len(losses[since:]), len(losses)
            print(f"step {step + 1}: loss {mean:.6f}, held-out loss {held:.6f}", end="")
            if step + 1 in EXPECTED:
                page = EXPECTED[step + 1]
                print(f"; on the page {page[0]:.6f} and {page[1]:.6f}", end="")
                far = max(abs(a - b) / max(1, abs(b)) for a, b in zip((mean, held), page))
                wrong |= step + 1 <= CERTAIN and not far <= 1e-4
            print()
    with torch.no_grad():
        output = said(model, held_out)
${source.pythonScore}
    if wrong:
        sys.exit("MISMATCH")
    return losses


if __name__ == "__main__":
    main()
`;
}

/** With as many digits as float32 has. @param {number} value */
const digits = (value) => String(Number(value.toPrecision(8)));

/** @param {Point} point */
const expected = ({ step, loss, held_loss: held }) =>
  step === 0 ? '' : `    ${step}: (${digits(loss)}, ${digits(held)}),\n`;
