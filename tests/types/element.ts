// A user of attnscope/element, as TypeScript sees him.

import 'attnscope/element';
import type { AttnscopeCalculator, AttnscopeCalculatorFields } from 'attnscope/element';
import type { Config, Estimate } from 'attnscope';

const element: AttnscopeCalculator = document.createElement('attnscope-calculator');
const found: AttnscopeCalculator | null = document.querySelector('attnscope-calculator');
element.hidden_size = 1024;
element.hidden_size = undefined;
element.is_causal = true;
element.dtype = 'bfloat16';
element.layer = 'decoder';
element.window = null;
element.seed = 3;
element.config = { layer: 'additive_scorer', hidden_size: 256 };
element.config = null;
const config: Config | null = element.config;
const size: number | undefined = element.hidden_size;
const estimate: Estimate | null = element.estimate;
element.addEventListener('change', ({ detail }) => detail.parameters.toFixed());
element.addEventListener('click', ({ clientX }) => clientX);
const fields: AttnscopeCalculatorFields = { layer: 'linear_scorer', batch_size: 2 };
document.body.append(Object.assign(element, fields));

// @ts-expect-error a misspelt field
element.hiden_size = 4;
// @ts-expect-error a string is no size
element.hidden_size = '1024';
// @ts-expect-error there is no such format
element.dtype = 'fp16';
// @ts-expect-error there is no such layer
element.layer = 'linear_scorrer';
// @ts-expect-error a field of another layer
element.config = { layer: 'linear_scorer', attn_dim: 4 };
// @ts-expect-error the estimate is read-only
element.estimate = null;
// @ts-expect-error the detail is an estimate
element.addEventListener('change', ({ detail }) => detail.parameter);

export { config, estimate, found, size };
