// How the types of arguments and results follow from a config. No code.
//
// In these types a config C is what the caller wrote: the literal's own type, a layer's config, or all of them.

/** @typedef {import('./core/config.js').Config} Config */
/** @typedef {import('./core/config.js').Layers} Layers */
/** @template C @typedef {import('./types.js').Estimate<C>} Estimate */
/** @template C @typedef {import('./types.js').EstimateFigures<C>} EstimateFigures */
/** @typedef {import('./types.js').EstimateNames} EstimateNames */
/** @typedef {import('./types.js').EstimateSteps} EstimateSteps */
/** @typedef {import('./types.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./tensor.js').ResidentTensor} ResidentTensor */
/** @typedef {import('./types.js').RoundingError} RoundingError */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./types.js').TensorInput} TensorInput */

/** @typedef {keyof Layers} LayerName */

/**
 * The config of one layer: `ConfigOf<'decoder'>`.
 * @template {LayerName} Name
 * @typedef {Layers[Name]['config']} ConfigOf
 */

/**
 * What a literal is checked against, Expected, while Given is inferred from it: an object literal is then refused for
 * a key that Expected has not, as it would not be against Given.
 * @template Given
 * @template Expected
 * @typedef {[Given] extends [never] ? Given : Expected} Literal
 */

/**
 * A config whose `layer` has the type L. Where L is no more than a string, as in a `const config = { layer: ... }`
 * that is written before the call, every field must be one of some layer.
 * @template L
 * @template C
 * @typedef {{ layer: LayerArgument<L> } & (
 *   string extends L ? C & LooseConfig<C>
 *   : L extends LayerName ? Layers[L]['config']
 *   : { [Name in FieldName]?: unknown }
 * )} ConfigArgument
 */

/**
 * @template L
 * @typedef {string extends L ? string : L extends LayerName ? L : LayerName} LayerArgument
 */

/**
 * @template C
 * @typedef {{
 *   [Name in keyof C]: Name extends 'layer' ? string
 *     : Name extends FieldName ? LooseField<Name>
 *     : NoLayerHasField<Name>
 * }} LooseConfig
 */

/** @typedef {Config extends infer C ? C extends unknown ? Exclude<keyof C, 'layer'> : never : never} FieldName */

/**
 * The values of a field in all layers that have it; any string for a choice.
 * @template Name
 * @typedef {Config extends infer C
 *   ? C extends unknown ? Name extends keyof C ? Loosened<C[Name]> : never : never
 *   : never} LooseField
 */

/**
 * @template Value
 * @typedef {Value extends string ? string : Value} Loosened
 */

/**
 * No value has this type: the compiler's message names it.
 * @template Name
 * @typedef {{ 'no layer has the field': Name }} NoLayerHasField
 */

/**
 * The config as the types below take it: one whose layer is not known stands for all.
 * @template C
 * @typedef {C extends { layer: LayerName } ? C : Config} Known
 */

/**
 * Whether nothing is known of the layer.
 * @template C
 * @template Yes
 * @template No
 * @typedef {[LayerName] extends [NameOf<C>] ? Yes : No} IfAnyLayer
 */

/**
 * @template C
 * @typedef {C extends { layer: infer L } ? L : never} NameOf
 */

/**
 * @template C
 * @typedef {C extends { layer: infer L extends LayerName } ? Layers[L] : never} LayerOf
 */

/**
 * The value of one field, its default where it is left out.
 * @template C
 * @template Name
 * @typedef {Name extends keyof C
 *   ? {} extends Pick<C, Name> ? Exclude<C[Name], undefined> | DefaultOf<C, Name> : C[Name]
 *   : DefaultOf<C, Name>} FieldOf
 */

/**
 * @template C
 * @template Name
 * @typedef {Name extends keyof LayerOf<C>['defaults'] ? LayerOf<C>['defaults'][Name] : never} DefaultOf
 */

/**
 * A config with the defaults filled in. Numbers are any number, so that they can be changed.
 * @template C
 * @typedef {Plain<IfAnyLayer<C, Config, C extends { layer: infer L extends LayerName }
 *   ? { layer: L } & { -readonly [Name in Exclude<keyof Layers[L]['config'], 'layer'>]-?: AnyNumber<FieldOf<C, Name>> }
 *   : never>>} Filled
 */

/**
 * @template Value
 * @typedef {Value extends number ? number : Value} AnyNumber
 */

/** @typedef {'yes' | 'maybe' | 'no'} Answer */

/**
 * Whether a value is one of some.
 * @template Value
 * @template Some
 * @typedef {[Value] extends [Some] ? 'yes' : [Value & Some] extends [never] ? 'no' : 'maybe'} IsOneOf
 */

/**
 * @template One
 * @template Other
 * @typedef {'no' extends One | Other ? 'no' : 'maybe' extends One | Other ? 'maybe' : 'yes'} Both
 */

/**
 * @template One
 * @template Other
 * @typedef {'yes' extends One | Other ? 'yes' : 'maybe' extends One | Other ? 'maybe' : 'no'} Either
 */

/**
 * @template One
 * @typedef {One extends 'yes' ? 'no' : One extends 'no' ? 'yes' : 'maybe'} Not
 */

/**
 * Whether a layer of this config has the input or result.
 * @template C
 * @template Name
 * @typedef {Name extends keyof LayerOf<C>['where'] ? Holds<C, LayerOf<C>['where'][Name]> : 'yes'} Has
 */

/**
 * @template C
 * @template Condition
 * @typedef {Both<
 *   Condition extends { field: infer Name, is: infer Values } ? IsOneOf<FieldOf<C, Name>, Values>
 *   : Condition extends { field: infer Name, isNot: infer Values } ? Not<IsOneOf<FieldOf<C, Name>, Values>> : 'maybe',
 *   Condition extends { unsure: true } ? 'maybe' : 'yes'>} Holds
 */

/**
 * One object type, as an editor shows it. Where it depends on C, the compiler compares what it gives for one C and for
 * another, and not the two C: so a model of one layer is also a model of any.
 * @template T
 * @typedef {{ [Name in keyof T]: T[Name] }} Plain
 */

/**
 * What forward() takes, by name.
 * @template [C=Config]
 * @typedef {Plain<IfAnyLayer<C, Record<string, TensorInput>,
 *   C extends unknown ? InputsOf<C, LayerOf<C>['inputs']> : never>>} Inputs
 */

/**
 * @template C
 * @template All
 * @typedef {{ [Name in keyof All as Has<C, Name> extends 'yes' ? Name : never]: All[Name] } &
 *   { [Name in keyof All as Has<C, Name> extends 'maybe' ? Name : never]?: All[Name] }} InputsOf
 */

/**
 * What step() takes, by name: the rest is in the KV cache.
 * @template [C=Config]
 * @typedef {Plain<IfAnyLayer<C, Record<string, TensorInput>, C extends unknown ? LayerOf<C>['has_cache'] extends true
 *   ? InputsOf<C, Omit<LayerOf<C>['inputs'], LayerOf<C>['cached']>> : LayerWithoutKvCache : never>>} StepInputs
 */

/** @typedef {{ 'this layer has no KV cache, so it has no step()': never }} LayerWithoutKvCache */

/**
 * What forward() and step() return, by name.
 * @template [C=Config]
 * @template [O=CopyOptions]
 * @template [Resident=ResidentTensor] what a result is that stays where it was made
 * @typedef {Plain<ErrorOf<O> & TensorsOf<O, Returned<O, Resident>> & IfAnyLayer<C, AnyResults<Returned<O, Resident>>,
 *   C extends unknown ? ResultsOf<C, O, Returned<O, Resident>, LayerOf<C>['results']> : never>>} Results
 */

/** @typedef {Omit<ForwardOptions, 'resident'>} CopyOptions */

/**
 * What is asked for between the steps, by name.
 * @template O
 * @template Value
 * @typedef {O extends { tensors: infer Names extends readonly string[] }
 *   ? { tensors: { [Name in Names[number]]: Value } }
 *   : 'tensors' extends keyof O ? { tensors?: Record<string, Value> } : {}} TensorsOf
 */

/**
 * @template C
 * @template O
 * @template Value
 * @template All
 * @typedef {{ [Name in keyof All as Returns<C, O, Name> extends 'yes' ? Name : never]: Value } &
 *   { [Name in keyof All as Returns<C, O, Name> extends 'maybe' ? Name : never]?: Value }} ResultsOf
 */

/**
 * @template Value
 * @typedef {{ output: Value } & { [Name in Exclude<ResultName, 'output'>]?: Value }} AnyResults
 */

/** @typedef {{ [L in LayerName]: keyof Layers[L]['results'] }[LayerName]} ResultName */

/**
 * @template C
 * @template O
 * @template Name
 * @typedef {Both<Has<C, Name>,
 *   Name extends LayerOf<C>['weights'] ? IsOneOf<OptionOf<O, 'need_weights', true>, true> : 'yes'>} Returns
 */

/** @typedef {{ training: import('./types.js').TrainingEstimate }} Trained */

/**
 * What estimate() and estimates() return.
 * @template C
 * @template O
 * @template [Steps=true] whether there are steps where the options do not say it
 * @typedef {{ yes: Estimate<C>, no: EstimateFigures<C>, maybe: EstimateFigures<C> & Partial<EstimateSteps> }[
 *   IsOneOf<OptionOf<O, 'steps', Steps>, true>] & (O extends { training: object } ? Trained : {}) &
 *   NamesOf<O>} Estimated
 */

/**
 * @template O
 * @typedef {{ yes: EstimateNames, no: {}, maybe: Partial<EstimateNames> }[
 *   IsOneOf<OptionOf<O, 'tensors', false>, true>]} NamesOf
 */

/**
 * @template O
 * @template Resident
 * @typedef {{ yes: Resident, no: Tensor, maybe: Tensor | Resident }[
 *   IsOneOf<OptionOf<O, 'resident', false>, true>]} Returned
 */

/**
 * @template O
 * @typedef {{ yes: { rounding_error: RoundingError }, no: {}, maybe: { rounding_error?: RoundingError } }[
 *   Either<Not<IsOneOf<OptionOf<O, 'round', 'float32'>, 'float32'>>,
 *     IsOneOf<OptionOf<O, 'compare', false>, true>>]} ErrorOf
 */

/**
 * The value of one option, its default where it is left out.
 * @template O
 * @template Name
 * @template Default
 * @typedef {Name extends keyof O
 *   ? {} extends Pick<O, Name> ? Exclude<O[Name], undefined> | Default
 *     : undefined extends O[Name] ? Exclude<O[Name], undefined> | Default : O[Name]
 *   : Default} OptionOf
 */

export {};
