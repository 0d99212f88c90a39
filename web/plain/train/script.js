// The Python script that repeats a run in PyTorch, from its data to its losses.

import { STREAMS } from './run.js';
import { taskOf } from './settings.js';

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {import('./history.js').Point} Point
 * @typedef {import('./settings.js').Plan} Plan
 * @typedef {import('./tasks.js').Data} Data
 */

const OPTIMIZERS = /** @type {Record<string, string>} */ ({
  sgd: 'SGD',
  rmsprop: 'RMSprop',
  adam: 'Adam',
  adamw: 'AdamW'
});

const KNOWN = 'F.cross_entropy(output.flatten(0, -2), batch["labels"].flatten())';
const NEXT_TOKEN = 'F.cross_entropy(output[:, :-1].flatten(0, 1), batch["tokens"][:, 1:].flatten())';

/** Up to this step losses must agree; after it, rounding may have grown, and both are only printed. */
const CERTAIN = 20;
const MOST_EXPECTED = 60;
/** Every so many steps the script says how far it is. */
const SAID_EVERY = 50;

const RANDOM = `class Random:
    """The generator of the page (mulberry32): the same numbers for the same seed."""

    def __init__(self, seed, stream):
        self.state = (seed ^ stream * 0x9E3779B1) & 0xFFFFFFFF
        for _ in range(4):
            self.state = (self.state + self.bits()) & 0xFFFFFFFF

    def bits(self):
        self.state = mixed = (self.state + 0x6D2B79F5) & 0xFFFFFFFF
        mixed = (mixed ^ mixed >> 15) * (mixed | 1) & 0xFFFFFFFF
        mixed ^= mixed + (mixed ^ mixed >> 7) * (mixed | 61) & 0xFFFFFFFF
        return mixed ^ mixed >> 14

    def below(self, end):
        return int(self.bits() / 2**32 * end)

    def distinct(self, end, count):
        numbers = list(range(end))
        for place in range(count):
            other = place + self.below(end - place)
            numbers[place], numbers[other] = numbers[other], numbers[place]
        return numbers[:count]


def batch_of(examples):
    tokens, labels = zip(*examples)
    return {"tokens": torch.tensor(tokens), "labels": torch.tensor(labels)}
`;

/** Up to which step losses must agree. @param {boolean} drops whether there is dropout */
const certainText = (drops) =>
  drops
    ? `# Up to this step losses must agree; after it, what rounding has done may have grown. A PyTorch with Intel's MKL draws
# other dropout than the page, by which every step but the first is another.
CERTAIN = 0 if torch.backends.mkl.is_available() else ${CERTAIN}`
    : `# Up to this step losses must agree; after it, what rounding has done may have grown.
CERTAIN = ${CERTAIN}`;

const LOOK = `

def look(module, batch):
    """The loss and the accuracy without dropout; nothing changes."""
    module.eval()
    with torch.no_grad():
        loss, output = loss_of(module, batch)
    module.train()
    known = batch["labels"] != -100
    right = output.argmax(dim=-1)[known] == batch["labels"][known]
    return loss.item(), right.float().mean().item()


def report(module, step, batch, held_out):
    """Prints what there is after a step, beside what the page has found; whether they disagree."""
    loss, _ = look(module, batch)
    held_loss, accuracy = look(module, held_out)
    here = f"step {step}: loss {loss:.6f}, held-out loss {held_loss:.6f}, accuracy {accuracy:.3f}"
    if step not in EXPECTED:
        print(here)
        return False
    expected = EXPECTED[step]
    print(f"{here}; on the page {expected[0]:.6f} and {expected[1]:.6f}")
    far = max(abs(a - b) / max(1, abs(b)) for a, b in zip((loss, held_loss), expected))
    return step <= CERTAIN and not far <= 1e-4
`;

const IMPORTS = ['import sys', 'import torch', 'import torch.nn.functional as F'];

/** With as many digits as float32 has. @param {number} value */
const digits = (value) => String(Number(value.toPrecision(8)));

/** @param {readonly Point[]} points */
function expectedText(points) {
  const apart = Math.ceil(points.length / MOST_EXPECTED);
  const chosen = points.filter(({ step }, at) => step <= CERTAIN || at % apart === 0 || at === points.length - 1);
  return chosen.map(({ step, loss, held_loss: held }) => `    ${step}: (${digits(loss)}, ${digits(held)}),\n`).join('');
}

/**
 * @throws {RangeError} where the data is too large to be printed
 * @param {Scope} scope @param {Plan} plan @param {Data} data that the plan's task makes
 * @param {{ points: readonly Point[], steps: number }} run what the page has found, and how many steps are repeated
 */
export function runScript(scope, { task, settings, config, options }, data, { points, steps }) {
  const { fixed, layer } = taskOf(task);
  const isPadded = data.padding !== undefined;
  const { results } = scope.estimate(config, { steps: false });
  const source = scope.pytorch(config, /** @type {any} */ ({ self_check: false, mask: isPadded, imports: IMPORTS }));
  const class_name = scope.layers().find(({ name }) => name === layer)?.pytorch_class;
  const python = data.python();
  const { name, lr } = options.optimizer;
  return `${source}

# ---- Data ----


${RANDOM}

${python.source}

# ---- Training ----

SEED = ${settings.seed}
STEPS = ${steps}
BATCH_SIZE = ${settings.batch_size}
# By step: the loss and the held-out loss that the page has found.
EXPECTED = {${points.length ? `\n${expectedText(points)}` : ''}}
${certainText(config.dropout > 0)}


def loss_of(module, batch):
    output = module(batch["tokens"]${isPadded ? `, mask=batch["tokens"] != ${data.padding}` : ''})${results.length > 1 ? '[0]' : ''}
    return ${settings.loss === 'next_token' ? NEXT_TOKEN : KNOWN}, output
${LOOK}

def main():
    torch.manual_seed(SEED)  # of the weights, and of dropout after them
    module = ${class_name}().train()
    optimizer = torch.optim.${OPTIMIZERS[name]}(module.parameters(), lr=${lr})
    random = Random(SEED, ${STREAMS.heldOut})
    held_out = batch_of([${python.heldOut} for at in range(${data.held})])
    random = Random(SEED, ${STREAMS.training})
    batch = batch_of([example(random) for _ in range(BATCH_SIZE)])
    wrong = report(module, 0, batch, held_out)
    for step in range(1, STEPS + 1):
${
  fixed
    ? ''
    : `        if step > 1:
            batch = batch_of([example(random) for _ in range(BATCH_SIZE)])
`
}        optimizer.zero_grad()
        loss, _ = loss_of(module, batch)
        loss.backward()
        optimizer.step()
        if step in EXPECTED or step % ${SAID_EVERY} == 0 or step == STEPS:
            wrong |= report(module, step, batch, held_out)
    if wrong:
        sys.exit("MISMATCH")
    print("${points.length ? 'OK' : 'Trained. The page had not run yet, so there is nothing to hold this against.'}")


if __name__ == "__main__":
    main()
`;
}
