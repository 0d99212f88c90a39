// What `explain` is asked for and what it answers, as plain data. No code.

/**
 * @typedef {object} ExplainOptions which cell of the attention weights
 * @property {number} key the column: of a layer that scores the positions of a sequence, the position
 * @property {number} [query] the row; a layer without queries takes none
 * @property {number} [head] 0 by default; a layer without heads takes none
 * @property {number} [batch] which sequence; 0 by default
 * @property {number} [layer] of a stack; the last one by default, whose weights `forward` returns
 * @property {string} [attention] of a layer that attends more than once, the weights' name among the results:
 *   'cross_weights'; the first one by default
 */

/**
 * @typedef {object} MadeNumber one number of a tensor, and, where it is made of few others, how
 * @property {string} tensor what the steps call it, an input's name or a parameter's
 * @property {number} feature its place in the tensor's last dimension
 * @property {number} value
 * @property {'tanh' | 'sigmoid' | 'multiply' | 'pair_sum' | 'rotate'} [op] what is done to `of`. A rotation is
 *   of[0] · cos + of[1] · sin, where sin has the sign that its feature takes
 * @property {MadeNumber[]} [of]
 * @property {number} [cos]
 * @property {number} [sin]
 */

/**
 * @typedef {object} FeatureProduct
 * @property {number} feature
 * @property {MadeNumber} left of the query, say
 * @property {MadeNumber} right of the key, or a parameter
 * @property {number} product left.value · right.value
 */

/**
 * @typedef {object} ScoreLine one operation between the sum of the products and the score
 * @property {'scale' | 'softcap' | 'tanh' | 'bias' | 'alibi_bias' | 'relative_bias'} op scale: the line before times
 *   `by`; softcap: by · tanh(the line before / by); tanh: of the line before; the others: `by` is added to it
 * @property {string} tensor what the steps call the result
 * @property {number} [by]
 * @property {number} value what comes out
 */

/**
 * @typedef {object} MaskedScore
 * @property {number} added what the caller's mask adds to this cell: 0 or -Infinity where it has bytes; 0 without one
 * @property {('mask' | 'future' | 'window')[]} hidden_by why the weight is 0: the mask, that the key comes after the
 *   query, or that it lies outside of the window; empty for a cell that is seen
 * @property {number} value the score with what was added, -Infinity where it is hidden
 */

/**
 * @typedef {object} ScoreRow all keys of this query
 * @property {number[]} scores with the mask, as they go into the softmax
 * @property {number} max the largest of them; -Infinity where every key is hidden
 * @property {number} sum of exp(score - max) over all keys; 0 where every key is hidden
 * @property {number} visible how many keys are not hidden
 */

/**
 * @typedef {object} ValueShare what the value of this key adds to the output
 * @property {string} tensor what the values are called
 * @property {number[]} features of this key's value
 * @property {number[]} added weight · feature, for each of them
 * @property {string} output the tensor that it is added to: the attention's, before any projection that follows
 * @property {number[]} total that row of the output: the sum of what all keys add
 */

/**
 * @typedef {object} Explanation of one attention weight. Numbers are the run's own, in float32; what it has no tensor
 *   for, as the products of single features, is computed from them in double precision
 * @property {string} attention the name of the weights among the results
 * @property {number} batch
 * @property {number | null} layer of a stack, else null
 * @property {number | null} head null where the layer has no heads
 * @property {number | null} query null where there are no queries
 * @property {number} key
 * @property {FeatureProduct[]} products the largest first, whatever its sign; none of a score by the position alone
 * @property {number} sum of all products
 * @property {ScoreLine[]} lines from the sum to the score, in order
 * @property {number} score before the mask
 * @property {MaskedScore} masked
 * @property {ScoreRow} row
 * @property {number} exponential exp(masked.value - row.max)
 * @property {number} weight exponential / row.sum
 * @property {{ weights: number[], mean: number } | null} averaged the weights of all heads and their mean, where
 *   `average_attn_weights` makes that the result
 * @property {ValueShare | null} value null for a layer that returns its weights alone
 */

export {};
