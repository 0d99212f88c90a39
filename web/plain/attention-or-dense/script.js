// A run of one variant as a script of PyTorch's, that makes the same data and gets the same numbers.

import { DRAWS_PYTHON } from './tasks/draws.js';
import { HELD_OUT, configOf, streamOf } from './trial.js';

/**
 * @param {Pick<import('../../lib/index.js').Attnscope, 'pytorch' | 'estimate'>} scope
 * @param {import('./trial.js').Plan} plan
 * @param {import('./variants.js').Variant} variant
 * @param {number} seed
 */
export function scriptOf(scope, plan, variant, seed) {
  const config = /** @type {any} */ (configOf(plan, variant));
  const { task, values, samples, steps, lr, batch } = plan;
  const single = scope.estimate(config, { steps: false }).results.length === 1;
  const output = single ? '' : '[0]';
  return `# ${task.title}: ${variant.title}, seed ${seed}.
${scope.pytorch(config, { self_check: false }).trimEnd()}


${DRAWS_PYTHON}

${task.python(values)}

def epochs(examples, batch):
    """The places of the examples of each step, in a fresh order in each epoch."""
    stream = ${streamOf(seed, 'order')}
    while True:
        keys = torch.randint(2**31, (examples,), generator=torch.Generator().manual_seed(stream))
        yield from keys.sort(stable=True).indices.split(batch)[: examples // batch]
        stream += 1


x, labels = draw(Draws(${streamOf(seed, 'training')}), ${samples})
held_out, held_out_labels = draw(Draws(${streamOf(seed, 'held_out')}), ${HELD_OUT})
torch.manual_seed(${seed})
model = ${/** @type {RegExpMatchArray} */ (scope.pytorch(config, { self_check: false }).match(/class (\w+)\((?![\s\S]*\nclass )/))[1]}()
optimizer = torch.optim.Adam(model.parameters(), lr=${lr})
for step, batch in zip(range(${steps}), epochs(${samples}, ${batch})):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x[batch])${output}, labels[batch])
    loss.backward()
    optimizer.step()
    if step < 10 or step % 50 == 49:
        print(f"step {step + 1}: loss {loss.item():.6f}")
with torch.no_grad():
    right = model(held_out)${output}.argmax(dim=1) == held_out_labels
print(f"right on held-out examples: {100 * right.float().mean().item():.2f} %")
`;
}
