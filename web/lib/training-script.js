// The Python script that repeats a training run in PyTorch, with the figures of this one written into it.

import { CHECKPOINT } from './python-imports.js';

/** @typedef {import('./scope.js').Attnscope} Attnscope */
/** @typedef {import('./types.js').Input} Input */

const WIDTH = 100; // columns of a line
const STEPS = 5; // that the script repeats
const OPTIMIZERS = { sgd: 'SGD', rmsprop: 'RMSprop', adam: 'Adam', adamw: 'AdamW' };

/** As Python writes a value. @param {unknown} value @returns {string} */
function python(value) {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  return String(value);
}

/** Arguments by name. @param {Record<string, unknown>} options */
const keywords = (options) => Object.entries(options).map(([name, value]) => `${name}=${python(value)}`);

/**
 * A statement, with the parts in its brackets on lines of their own where one line is not wide enough.
 * @param {string} open up to the bracket @param {readonly string[]} parts @param {string} close
 * @param {string} indent
 */
function statement(open, parts, close, indent) {
  const line = `${open}${parts.join(', ')}${close}`;
  if (indent.length + line.length <= WIDTH) return [line];
  return [open, ...parts.map((part) => `    ${part},`), close];
}

/** @param {readonly number[]} shape */
const tuple = (shape) => `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;

/**
 * What is called for the loss, and with which arguments: expressions of `output` and `batch`.
 * @param {any} loss as the trainer has it @returns {[string, string[]]}
 */
function lossCall({ name, target, weight = [], ...options }) {
  const further = keywords(options);
  if (name !== 'cross_entropy') return [`F.${name}(`, ['output', 'batch["target"]', ...further]];
  const weighted = weight.length > 0 ? [`weight=torch.tensor(${python(weight)})`] : [];
  if (target === 'next_token') {
    const shifted = ['output[:, :-1].flatten(0, 1)', 'batch["tokens"][:, 1:].flatten()'];
    return ['F.cross_entropy(', [...shifted, ...weighted, ...further]];
  }
  const held = target === 'probabilities' ? 'batch["target"].flatten(0, -2)' : 'batch["labels"].flatten()';
  return ['F.cross_entropy(', ['output.flatten(0, -2)', held, ...weighted, ...further]];
}

/**
 * The same of the optimizer.
 * @param {any} optimizer @param {string} learned its parameters @returns {[string, string[]]}
 */
function optimizerCall({ name, beta1, beta2, ...options }, learned) {
  const betas = beta1 === undefined && beta2 === undefined ? [] : [`betas=(${beta1 ?? 0.9}, ${beta2 ?? 0.999})`];
  const kind = OPTIMIZERS[/** @type {keyof typeof OPTIMIZERS} */ (name)];
  return [`torch.optim.${kind}(`, [learned, ...betas, ...keywords(options)]];
}

/** @param {any} schedule @returns {string[]} the body of factor(step); none where it is 1 throughout */
function scheduleLines({ name, warmup_steps = 0, total_steps }) {
  if (name === 'constant' && warmup_steps === 0) return [];
  const warm = warmup_steps > 0 ? [`if step < ${warmup_steps}:`, `    return step / ${warmup_steps}`] : [];
  if (name === 'constant') return [...warm, 'return 1.0'];
  const passed = `passed = min(1.0, (step - ${warmup_steps}) / ${Math.max(1, total_steps - warmup_steps)})`;
  const value = name === 'linear' ? '1.0 - passed' : '0.5 * (1.0 + math.cos(math.pi * passed))';
  return [...warm, passed, `return ${value}`];
}

/**
 * What the run is given: the layer's inputs, and what its result is held against, each with the Python expression that
 * draws the same numbers.
 * @param {Attnscope} scope @param {any} estimate @param {any} loss
 */
function drawn(scope, estimate, loss) {
  const shape = /** @type {number[]} */ (estimate.output_shape);
  const inputs = /** @type {Input[]} */ (estimate.inputs).filter(({ optional }) => !optional);
  const held = [];
  if (loss.name !== 'cross_entropy') held.push({ name: 'target', shape });
  else if (loss.target === 'probabilities') held.push({ name: 'target', shape, shares: true });
  else if (loss.target !== 'next_token') {
    held.push({ name: 'labels', shape: shape.slice(0, -1), limit: shape[shape.length - 1] });
  }
  return [...inputs, ...held].map((/** @type {any} */ { name, shape: size, limit, shares }, seed) => {
    if (limit) {
      const ids = scope.randint(limit, size, { seed });
      return { name, tensor: ids, text: `draw(${seed}, torch.randint, ${limit}, ${tuple(size)})` };
    }
    const tensor = scope.randn(size, { seed });
    const plain = `draw(${seed}, torch.randn, ${tuple(size)})`;
    if (!shares) return { name, tensor, text: plain };
    return { name, tensor: softmax(tensor), text: `${plain}.softmax(dim=-1)` };
  });
}

/** @param {{ data: Float32Array, shape: number[] }} tensor */
function softmax({ data, shape }) {
  const length = shape[shape.length - 1];
  const result = new Float32Array(data.length);
  for (let start = 0; start < data.length; start += length) {
    const row = Array.from(data.subarray(start, start + length), Math.exp);
    const sum = row.reduce((a, b) => a + b);
    row.forEach((value, i) => (result[start + i] = value / sum));
  }
  return { data: result, shape };
}

/** @param {Float32Array} values */
const norm = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

/** @param {string[]} lines its body */
const factorFunction = (lines) => `

def factor(step):
    """By what the learning rate is multiplied."""
${lines.map((line) => `    ${line}`).join('\n')}
`;

const FREEZING = `    for name, parameter in module.named_parameters():
        parameter.requires_grad_(name not in FROZEN)
    learned = [parameter for parameter in module.parameters() if parameter.requires_grad]
`;

const CHECKPOINTING = `    for blocks in module.modules():
        if isinstance(blocks, nn.ModuleList):
            for block in blocks:
                block.forward = functools.partial(checkpoint, block.forward, use_reentrant=False)
`;

/**
 * Forward and backward, as often as gradients are accumulated.
 * @param {number} times @param {string[]} forward the lines up to `loss`
 */
function passLines(times, forward) {
  const lines = [
    ...forward,
    times === 1 ? 'loss.backward()' : `(loss / ${times}).backward()`,
    'losses.append(loss.item())'
  ];
  return times === 1 ? lines : [`for _ in range(${times}):`, ...lines.map((line) => `    ${line}`)];
}

/** With as many digits as float32 has. @param {number} value */
const digits = (value) => String(Number(value.toPrecision(8)));

/**
 * The module of `pytorch()`, and the first steps of its training: run by itself, the file trains, compares losses and
 * gradients with those of this module, and prints OK, or MISMATCH and exits with 1.
 * @param {Attnscope} scope
 * @param {any} config
 * @param {any} options of the trainer
 * @param {any} recipe the same, with each part as an object
 */
export function trainingScript(scope, config, options, recipe) {
  const estimate = /** @type {any} */ (scope.estimate(config, { steps: false }));
  const { loss, optimizer, schedule, frozen, clip_norm, accumulation_steps = 1 } = recipe;
  const data = drawn(scope, estimate, loss);
  const batch = Object.fromEntries(data.map(({ name, tensor }) => [name, tensor]));
  const trainer = scope.trainer(config, options);
  try {
    const steps = Array.from({ length: STEPS * accumulation_steps }, () => trainer.step(batch));
    const gradients = Object.entries(trainer.gradients());
    const class_name = scope.layers().find(({ name }) => name === estimate.layer)?.pytorch_class;
    const names = estimate.inputs
      .filter((/** @type {Input} */ one) => !one.optional)
      .map((/** @type {Input} */ one) => one.name);
    const scheduled = scheduleLines(schedule);
    const isFrozen = frozen.length > 0;
    const learned = isFrozen ? 'learned' : 'module.parameters()';
    const first = estimate.results.length > 1 ? '[0]' : '';
    const given = names.map((/** @type {string} */ name) => `batch["${name}"]`).join(', ');
    const [called, held] = lossCall(loss);
    const inner = ' '.repeat(accumulation_steps === 1 ? 8 : 12);
    const pass = passLines(accumulation_steps, [
      `output = module(${given})${first}`,
      ...statement(`loss = ${called}`, held, ')', inner)
    ]);
    const [made, settings] = optimizerCall(optimizer, learned);
    const needed = ['import sys', 'import torch', 'import torch.nn.functional as F'];
    if (options.checkpointing) needed.push('import functools', CHECKPOINT);
    if (scheduled.some((line) => line.includes('math.'))) needed.push('import math');
    return `${scope.pytorch(config, { self_check: false, imports: needed })}

# ---- Training ----

# What attnscope makes of the same steps.
${statement(
  'LOSSES = [',
  steps.map((step) => digits(step.loss)),
  ']',
  ''
).join('\n')}
GRADIENT_NORMS = {
${gradients.map(([name, { data: values }]) => `    "${name}": ${digits(norm(values))},`).join('\n')}
}
${isFrozen ? `FROZEN = ${python(frozen)}\n` : ''}

def draw(seed, function, *arguments):
    """The numbers that a seed gives, whatever was drawn before."""
    torch.manual_seed(seed)
    return function(*arguments)
${scheduled.length ? factorFunction(scheduled) : ''}

def main():
    batch = {
${data.map(({ name, text }) => `        "${name}": ${text},`).join('\n')}
    }
    torch.manual_seed(${options.seed ?? 0})  # of the weights, and of dropout after them
    module = ${class_name}().train()
${isFrozen ? FREEZING : ''}${options.checkpointing ? CHECKPOINTING : ''}${statement(
      `optimizer = ${made}`,
      settings,
      ')',
      '    '
    )
      .map((line) => `    ${line}`)
      .join('\n')}
${scheduled.length ? '    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, factor)\n' : ''}    losses = []
    for _ in range(${STEPS}):
        optimizer.zero_grad()
${pass.map((line) => `        ${line}\n`).join('')}\
${clip_norm === null ? '' : `        torch.nn.utils.clip_grad_norm_(${learned}, ${clip_norm})\n`}        optimizer.step()
${scheduled.length ? '        schedule.step()\n' : ''}    gradients = {
        name: one.grad.norm().item()
        for name, one in module.named_parameters()
        if one.grad is not None
    }
    largest = max(gradients.values())
    wrong = [
        f"loss of step {step}: expected {expected}, PyTorch has {found}"
        for step, (expected, found) in enumerate(zip(LOSSES, losses, strict=True))
        if not abs(found - expected) <= 1e-4 * max(1, abs(expected))
    ]
    # A gradient that is 0 by theory has the rounding of its terms, which are as large as others.
    wrong += [
        f"gradient of {name}: expected {expected}, PyTorch has {gradients.get(name)}"
        for name, expected in GRADIENT_NORMS.items()
        if not abs(gradients.get(name, 0) - expected) <= 1e-3 * expected + 1e-4 * largest
    ]
    for one in wrong:
        print(f"MISMATCH {one}")
    if wrong:
        sys.exit(1)
    print("OK")


if __name__ == "__main__":
    main()
`;
  } finally {
    trainer.dispose();
  }
}
