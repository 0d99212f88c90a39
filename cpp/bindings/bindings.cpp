// The core's whole JavaScript surface. Nothing here computes: each function unpacks, makes one core
// call, and copies the result out. web/lib puts the public API above it.

#include <emscripten/bind.h>
#include <emscripten/em_js.h>
#include <emscripten/val.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../analysis/estimate.h"
#include "../analysis/pytorch.h"
#include "../layers/fields.h"
#include "../run/clock.h"
#include "../run/model.h"
#include "../run/peaks.h"
#include "../run/random.h"
#include "../run/threads.h"
#include "../run/trainer.h"
#include "unpack.h"

using emscripten::val;

EMSCRIPTEN_DECLARE_VAL_TYPE(ConfigValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(ConfigsValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(OptionsValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(InputsValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(ResultsValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(StateValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(ShapeValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(TensorValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(IntegersValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(NumberValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(DataValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(ProgressValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(PeaksValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(TextValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(NamesValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(NumbersValue);
EMSCRIPTEN_DECLARE_VAL_TYPE(TrainerStateValue);

// clang-format off
EM_JS_DEPS(bindings, "$UTF8ToString");

// Throws what web/lib/errors.js makes of it. Asks the core for no memory, of which there may be none.
EM_JS(void, throw_error, (const char* type, const char* message, const char* field, size_t length), {
  throw Module.errorOf(UTF8ToString(type), UTF8ToString(message), UTF8ToString(field, length, true));
});
// clang-format on

namespace attnscope {
namespace {

// 4 GiB is what a 32-bit memory can address; the rest is for the stack, the code's data and what
// the allocator loses between blocks.
constexpr double kMemoryLimit = 3.5 * 1024 * 1024 * 1024;

constexpr int64_t kMaxSeed = (int64_t{1} << 53) - 1;

Field seed_field() {
  return integer_field("seed", "As torch.manual_seed takes it; its low 32 bits are used.", 0, 0,
                       kMaxSeed);
}

/// Calls `work` with `context`; a C++ exception becomes a real JavaScript error with the same
/// message.
void guard(void (*work)(void*), void* context) {
  try {
    work(context);
  } catch (const FieldError& e) {
    throw_error("RangeError", e.what(), e.field().data(), e.field().size());
  } catch (const std::overflow_error& e) {
    throw_error("RangeError", e.what(), "", 0);
  } catch (const std::bad_alloc&) {
    throw_error("OutOfMemory", "the engine has no memory left for this", "", 0);
  } catch (const std::exception& e) {
    throw_error("Error", e.what(), "", 0);
  }
}

/// Function as it is bound: under guard(), which exists once for all of them.
template <auto Function, class... Args>
auto bound(Args... args) {
  const auto guarded = [](auto work) {
    guard([](void* it) { (*static_cast<decltype(work)*>(it))(); }, &work);
  };
  using Result = decltype(Function(args...));
  if constexpr (std::is_void_v<Result>) {
    guarded([&] { Function(args...); });
  } else {
    std::optional<Result> result;
    guarded([&] { result.emplace(Function(args...)); });
    return *std::move(result);
  }
}

Config config_from(const ConfigValue& config) { return resolve(unpack_object("config", config)); }

std::vector<Value> options_from(std::string_view owner, std::span<const Field> fields,
                                const OptionsValue& options) {
  return resolve(owner, fields, unpack_object("options", options), "option");
}

/// The one option of `owner`.
uint64_t seed_from(std::string_view owner, const OptionsValue& options) {
  const Field fields[] = {seed_field()};
  return static_cast<uint64_t>(std::get<int64_t>(options_from(owner, fields, options)[0]));
}

TextValue layer_table() { return TextValue(pack_text(layers_json())); }

TextValue format_table() { return TextValue(pack_text(formats_json())); }

/// `steps`: whether they are listed where the options do not say it.
EstimateOptions estimate_options(const char* owner, bool steps, const OptionsValue& options) {
  const Field fields[] = {
      boolean_field("steps", "Whether steps, their shapes and the timeline are listed.", steps),
      boolean_field("tensors", "Whether names for forward() are.", false)};
  const std::vector<Value> values = options_from(owner, fields, options);
  return {.steps = std::get<bool>(values[0]), .tensors = std::get<bool>(values[1])};
}

TextValue estimate(const ConfigValue& config, const OptionsValue& options) {
  const EstimateOptions how = estimate_options("estimate", true, options);
  return TextValue(pack_text(estimate_json(config_from(config), how)));
}

std::vector<std::string> names_from(const NamesValue& names) {
  return emscripten::vecFromJSArray<std::string>(names);
}

Recipe recipe_from(const OptionsValue& options, const OptionsValue& loss,
                   const OptionsValue& optimizer, const OptionsValue& schedule,
                   const NumbersValue& class_weights, const NamesValue& frozen) {
  constexpr int64_t kMostCalls = 1 << 20;
  const Field known[] = {
      optional(above_min(
          number_field("clip_norm", "The most that the gradients' norm may be.", 1, 0, 1e30))),
      integer_field("accumulation_steps", "Calls whose gradients make one update.", 1, 1,
                    kMostCalls),
      boolean_field("checkpointing", "Whether blocks are run again for their gradients.", false)};
  const std::vector<Value> values = options_from("trainer", known, options);
  Recipe recipe{.loss = resolve_loss(unpack_object("loss", loss)),
                .optimizer = resolve_optimizer(unpack_object("optimizer", optimizer)),
                .schedule = resolve_schedule(unpack_object("schedule", schedule)),
                .accumulation_steps = std::get<int64_t>(values[1])};
  if (const double* norm = std::get_if<double>(&values[0])) recipe.clip_norm = *norm;
  recipe.loss.class_weights = emscripten::vecFromJSArray<float>(class_weights);
  recipe.frozen = names_from(frozen);
  recipe.checkpointing = std::get<bool>(values[2]);
  return recipe;
}

/// estimate() with a whole step of training.
TextValue estimate_training(const ConfigValue& config, const OptionsValue& options,
                            const OptionsValue& how, const OptionsValue& loss,
                            const OptionsValue& optimizer, const OptionsValue& schedule,
                            const NumbersValue& class_weights, const NamesValue& frozen) {
  EstimateOptions all = estimate_options("estimate", true, options);
  all.training = recipe_from(how, loss, optimizer, schedule, class_weights, frozen);
  return TextValue(pack_text(estimate_json(config_from(config), all)));
}

/// An array with an estimate for each config; a config that is refused costs the others nothing.
TextValue estimates(const ConfigsValue& configs, const OptionsValue& options) {
  const EstimateOptions how = estimate_options("estimates", false, options);
  const auto count = configs["length"].as<size_t>();
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    try {
      text += estimate_json(config_from(ConfigValue(configs[i])), how);
    } catch (const FieldError& e) {
      text += refusal_json(i, e.what(), e.field());
    } catch (const std::overflow_error& e) {
      text += refusal_json(i, e.what(), "");
    }
  }
  return TextValue(pack_text(text + ']'));
}

TextValue pytorch(const ConfigValue& config, const OptionsValue& options) {
  const Field fields[] = {
      boolean_field("self_check", "Append a main that checks the file.", true),
      boolean_field("mask", "Whether forward() takes the layer's optional masks.", false)};
  const std::vector<Value> values = options_from("pytorch", fields, options);
  const PytorchOptions how{.self_check = std::get<bool>(values[0]),
                           .mask = std::get<bool>(values[1])};
  return TextValue(pack_text(pytorch_source(config_from(config), how)));
}

Field storage_field() {
  return choice_field("storage",
                      "Format in which linear layers' weights and the KV cache are kept.",
                      fields::dtype_names(), "float32");
}

/// The object behind a handle of JavaScript: a model, or a trainer with the model that it holds.
class Learner {
 public:
  explicit Learner(std::unique_ptr<Model> model) : alone_(std::move(model)), model_(*alone_) {}
  explicit Learner(std::unique_ptr<Trainer> trainer)
      : trainer_(std::move(trainer)), model_(trainer_->model()) {}

  // Each function that is bound takes one of these.
  operator const Model&() const { return model_; }
  operator Model&() { return model_; }
  operator Trainer&() const { return *trainer_; }

  Count held_bytes() const { return model_.held_bytes() + (trainer_ ? trainer_->held_bytes() : 0); }

 private:
  std::unique_ptr<Model> alone_{};  // nullptr where the trainer has it
  std::unique_ptr<Trainer> trainer_{};
  Model& model_;
};

std::unique_ptr<Model> make_model(const ConfigValue& config, const OptionsValue& options) {
  const Field known[] = {seed_field(), storage_field()};
  const std::vector<Value> values = options_from("create", known, options);
  return std::make_unique<Model>(
      config_from(config), static_cast<uint64_t>(std::get<int64_t>(values[0])),
      static_cast<Count>(kMemoryLimit), dtype_from(std::get<std::string_view>(values[1])));
}

Learner* create(const ConfigValue& config, const OptionsValue& options) {
  return new Learner(make_model(config, options));
}

Shape drawn_shape(const ShapeValue& shape) {
  return unpack_shape(shape, static_cast<Count>(kMemoryLimit / sizeof(float)));
}

TensorValue randn_tensor(const ShapeValue& shape, const OptionsValue& options) {
  const uint64_t seed = seed_from("randn", options);
  return TensorValue(pack_tensor(randn(drawn_shape(shape), seed)));
}

IntegersValue randint_tensor(const NumberValue& high, const ShapeValue& shape,
                             const OptionsValue& options) {
  const Field fields[] = {integer_field("high", "Above every number.", 1, 1, int64_t{1} << 31)};
  const std::vector<Value> values =
      resolve("randint", fields, {{"high", unpack_value(high)}}, "argument");
  const uint64_t seed = seed_from("randint", options);
  const Shape checked = drawn_shape(shape);
  return IntegersValue(
      pack_integers(randint(std::get<int64_t>(values[0]), checked, seed), checked));
}

/// The inputs of one forward(), owned, with what the executors take.
struct UnpackedInputs {
  std::vector<Values> values;
  std::vector<LateFloats> late;  // pointers refers to them: room for all is there from the start
  Inputs pointers;
};

struct HowToUnpack {
  bool cached = false;  // everything but the KV cache is given
  bool late = false;    // floats may be copied when they are needed: no code of the caller's runs
};

/// The inputs of a graph for `owner`, as messages call the function.
UnpackedInputs unpacked_inputs(const char* owner, const Graph& graph, const GivenTensors& tensors,
                               HowToUnpack how) {
  const std::vector<TensorId> known = inputs_of(graph, how.cached);
  UnpackedInputs unpacked{
      std::vector<Values>(graph.tensors().size()), {}, Inputs(graph.tensors().size())};
  unpacked.late.reserve(tensors.size());
  Flags given(graph.tensors().size(), false);
  for (const GivenTensor& tensor : tensors) {
    given[static_cast<size_t>(find_input(owner, graph, known, tensor.name()))] = true;
  }
  check_all_given(graph, known, given);
  for (const GivenTensor& tensor : tensors) {
    const size_t id = static_cast<size_t>(find_input(owner, graph, known, tensor.name()));
    const Tensor& expected = graph.tensors()[id];
    Values& own = unpacked.values[id];
    if (how.late && tensor.can_be_late(expected)) {
      unpacked.pointers.add_late(id, own, unpacked.late.emplace_back(tensor.late(expected, own)));
    } else {
      unpacked.pointers[id] = tensor.values(expected, own);
    }
  }
  return unpacked;
}

/// The shapes of those that are inputs of `graph`; what is no tensor is refused later.
std::vector<GivenShape> given_shapes(const Graph& graph, const GivenTensors& tensors) {
  std::vector<GivenShape> shapes;
  for (const TensorId id : graph.inputs()) {
    const GivenTensor* tensor = find_tensor(tensors, graph.tensor(id).name);
    const std::optional<Shape> shape = tensor ? tensor->shape() : std::nullopt;
    if (shape) shapes.emplace_back(id, *shape);
  }
  return shapes;
}

/// `resident`: it stays in the core.
void pack_output(val& to, const std::string& name, Values& values, bool resident) {
  if (!resident) return to.set(name, pack_tensor(values));
  const Shape shape = shape_of(values);
  to.set(name, std::make_shared<ResidentTensor>(std::move(values), shape));
}

/// What a run hands out at the places [first, end), under its names.
val pack_outputs(Results& results, size_t first, size_t end, bool resident) {
  val packed = val::object();
  for (size_t place = first; place < end; ++place) {
    pack_output(packed, *results.plan.names[place], results.values[place], resident);
  }
  return packed;
}

val pack_results(Results& results, bool resident) {
  return pack_outputs(results, 0, results.plan.results(), resident);
}

Field need_weights_field() {
  return boolean_field("need_weights", "Whether the attention weights are returned.", true);
}

Field round_field() {
  return choice_field("round", "Format that weights and inputs are rounded to first.",
                      fields::dtype_names(), "float32");
}

/// Nothing for float32, in which everything is.
std::optional<Dtype> rounded_to(const Value& round) {
  const Dtype dtype = dtype_from(std::get<std::string_view>(round));
  return dtype == Dtype::kFloat32 ? std::nullopt : std::optional(dtype);
}

Field compare_field() {
  return boolean_field("compare", "Report the error that the model's storage format makes.", false);
}

Field resident_field() {
  return boolean_field("resident", "Whether the results stay in the core.", false);
}

/// Named in messages only: web/lib/model.js takes these two out of the options, since one is a
/// function, and the other an array.
Field progress_field() {
  return boolean_field("progress", "Hears how much of the run is done.", false);
}
Field tensors_field() { return boolean_field("tensors", "What is returned besides.", false); }

std::shared_ptr<ResidentTensor> tensor(const DataValue& data, const ShapeValue& shape,
                                       const OptionsValue& options) {
  const Field options_known[] = {optional(choice_field(
      "dtype", "What the numbers of a Uint16Array are.", {"float16", "bfloat16"}, "float16"))};
  const std::vector<Value> values = options_from("tensor", options_known, options);
  const std::string_view* dtype = std::get_if<std::string_view>(&values[0]);
  return unpack_resident(data, shape, dtype ? *dtype : "",
                         static_cast<Count>(kMemoryLimit / sizeof(float)));
}

DataValue resident_data(const ResidentTensor& tensor) { return DataValue(pack_data(tensor)); }

double resident_bytes(const ResidentTensor& tensor) {
  return std::visit(
      [](const auto& numbers) {
        return static_cast<double>(numbers.size()) * sizeof(*numbers.data());
      },
      tensor.numbers);
}

ShapeValue resident_shape(const ResidentTensor& tensor) {
  return ShapeValue(pack_shape(tensor.shape));
}

/// Calls the caller's function, unless it is undefined, but no more often than a page is drawn.
class Caller {
 public:
  explicit Caller(const ProgressValue& function) : function_(function) {}

  /// Of a run that ends before the caller goes.
  Progress progress() const { return function_.isUndefined() ? Progress() : Progress(*this); }

  void operator()(double done) const {
    if (seconds() < next_) return;
    function_(done);
    next_ = seconds() + kPause;
  }

 private:
  static constexpr double kPause = 0.016;  // seconds

  const ProgressValue& function_;
  mutable double next_ = seconds() + kPause;
};

ResultsValue forward(const Model& model, const InputsValue& inputs, const OptionsValue& options,
                     const ProgressValue& progress, const NamesValue& names) {
  static const std::vector<Field> options_known = {
      need_weights_field(),
      round_field(),
      boolean_field("reference", "Plain loops in double precision instead of the kernels.", false),
      resident_field(),
      compare_field(),
      tensors_field(),
      progress_field()};
  const std::vector<Value> values = options_from("forward", options_known, options);
  const RunOptions how{.round = rounded_to(values[1]),
                       .compare = std::get<bool>(values[4]),
                       .reference = std::get<bool>(values[2])};
  const bool resident = std::get<bool>(values[3]);
  const PlanKey key{.weights = std::get<bool>(values[0]), .tensors = names_from(names)};

  rouse_threads(model.most_work());
  const GivenTensors tensors = unpack_tensors("inputs", inputs);
  const PlanPtr plan = model.plan(key, given_shapes(model.graph(), tensors));
  const UnpackedInputs unpacked =
      unpacked_inputs("forward", plan->graph, tensors, {.late = progress.isUndefined()});
  const Caller caller(progress);
  Results results = model.run(*plan, unpacked.pointers, how, caller.progress());
  val packed = pack_results(results, resident);
  if (!key.tensors.empty()) {
    packed.set("tensors", pack_outputs(results, plan->results(), plan->names.size(), resident));
  }
  if (results.error) {
    val error = val::object();
    error.set("max_absolute", results.error->max_absolute);
    error.set("relative", results.error->relative);
    packed.set("rounding_error", error);
  }
  return ResultsValue(packed);
}

ResultsValue step(Model& model, const InputsValue& inputs, const OptionsValue& options,
                  const ProgressValue& progress) {
  static const std::vector<Field> options_known = {need_weights_field(), resident_field(),
                                                   progress_field()};
  const std::vector<Value> values = options_from("step", options_known, options);
  rouse_threads(model.most_work());
  const GivenTensors tensors = unpack_tensors("inputs", inputs);
  // As many positions as the first input has.
  const Tensor& first = model.graph().tensor(inputs_of(model.graph(), true).front());
  const GivenTensor* given = find_tensor(tensors, first.name);
  if (!given) {
    throw FieldError(first.name,
                     first.name + " is missing; it must be like " + to_string(first.shape));
  }
  const bool weights = std::get<bool>(values[0]);
  const PlanPtr next = model.next_plan(positions_of(first, given->raw()), weights);
  const UnpackedInputs unpacked = unpacked_inputs("step", next->graph, tensors, {.cached = true});
  const Caller caller(progress);
  Results results = model.step(*next, unpacked.pointers, caller.progress());
  return ResultsValue(pack_results(results, std::get<bool>(values[1])));
}

TextValue describe_model(const Model& model) {
  return TextValue(pack_text(
      model_json(model.config(), model.graph(), model.parameter_formats(), model.cache_format())));
}

double past_len(const Model& model) { return static_cast<double>(model.past_len()); }

void clear_cache(Model& model) { model.clear_cache(); }

val pack_entries(const std::vector<StateEntry>& entries) {
  val tensors = val::object();
  for (const StateEntry& entry : entries) tensors.set(entry.name, pack_tensor(*entry.values));
  return tensors;
}

StateValue state_dict(const Model& model) { return StateValue(pack_entries(model.state())); }

/// The tensors of these names and shapes, no more and no less, for `owner` as messages call it.
std::vector<Values> unpack_state(const char* owner, const val& object,
                                 const std::vector<Tensor>& expected) {
  const GivenTensors given = unpack_tensors("state dict", object);
  std::vector<std::string_view> known;
  for (const Tensor& one : expected) known.push_back(one.name);
  for (const GivenTensor& tensor : given) {
    if (std::find(known.begin(), known.end(), tensor.name()) != known.end()) continue;
    throw unknown_name(owner, "parameter", tensor.name(), known);
  }
  std::vector<Values> values;
  for (const Tensor& one : expected) {
    const GivenTensor* tensor = find_tensor(given, one.name);
    if (!tensor) throw FieldError(one.name, one.name + " is missing from the state dict");
    Values own;
    const Values* read = tensor->values(one, own);
    values.push_back(read == &own ? std::move(own) : *read);
  }
  return values;
}

ParameterValues unpack_parameters(const Model& model, const StateValue& state) {
  std::vector<Tensor> expected;
  for (const StateEntry& entry : model.state()) {
    expected.push_back(
        {.name = entry.name, .shape = shape_of(*entry.values), .role = Role::kParameter});
  }
  return unpack_state("the layer", state, expected);
}

void load_state_dict(Model& model, const StateValue& state) {
  model.load_state(unpack_parameters(model, state));
}

/// {outputs, inputs, parameters, tensors}: the results that gradients are given by, and the
/// gradients by each input and parameter, and by the tensors of these names.
ResultsValue backward(const Model& model, const InputsValue& inputs, const InputsValue& gradients,
                      const OptionsValue& options, const ProgressValue& progress,
                      const NamesValue& names) {
  const Field options_known[] = {
      boolean_field("reference", "Plain loops in double precision instead of the kernels.", false),
      progress_field()};
  const std::vector<Value> values = options_from("backward", options_known, options);
  rouse_threads(model.most_work());
  GivenTensors tensors = unpack_tensors("inputs", inputs);
  const std::vector<GivenShape> shapes = given_shapes(model.graph(), tensors);
  PlanKey key{.function = Function::kBackward, .tensors = names_from(names)};
  for (const auto& [name, tensor] : entries_of("gradients", gradients)) {
    key.given_gradients.push_back(name);
    tensors.emplace_back(gradient_name(name), tensor);
  }
  const PlanPtr plan = model.plan(key, shapes);
  const UnpackedInputs unpacked = unpacked_inputs("backward", plan->graph, tensors, {});
  const Caller caller(progress);
  const RunOptions how{.reference = std::get<bool>(values[0])};
  const Results results = model.run(*plan, unpacked.pointers, how, caller.progress());
  val made = val::object(), by_inputs = val::object(), by_parameters = val::object(),
      by_tensors = val::object();
  for (size_t place = 0; place < plan->results(); ++place) {
    const Result& result = plan->graph.results()[place];
    const val packed = pack_tensor(results.values[place]);
    if (result.options.gradient_by == kNoTensor) {
      made.set(result.name, packed);
      continue;
    }
    const Tensor& tensor = plan->graph.tensor(result.options.gradient_by);
    (tensor.role == Role::kParameter    ? by_parameters
     : tensor.role == Role::kActivation ? by_tensors
                                        : by_inputs)
        .set(plan->graph.name_of(result.options.gradient_by), packed);
  }
  val packed = val::object();
  packed.set("outputs", made);
  packed.set("inputs", by_inputs);
  packed.set("parameters", by_parameters);
  if (!key.tensors.empty()) packed.set("tensors", by_tensors);
  return ResultsValue(packed);
}

Learner* create_trainer(const ConfigValue& config, const OptionsValue& model_options,
                        const OptionsValue& options, const OptionsValue& loss,
                        const OptionsValue& optimizer, const OptionsValue& schedule,
                        const NumbersValue& class_weights, const NamesValue& frozen) {
  Recipe recipe = recipe_from(options, loss, optimizer, schedule, class_weights, frozen);
  return new Learner(
      std::make_unique<Trainer>(make_model(config, model_options), std::move(recipe)));
}

void check_all_finite(const Graph& graph, const UnpackedInputs& inputs) {
  for (const TensorId id : graph.inputs()) {
    const Tensor& tensor = graph.tensor(id);
    const Values* given = inputs.pointers[static_cast<size_t>(id)];
    if (given && tensor.role == Role::kInput && tensor.limit == 0) {
      check_finite(tensor.name, given->data(), given->size());
    }
  }
}

ResultsValue train(Trainer& trainer, const InputsValue& inputs, const ProgressValue& progress) {
  rouse_threads(trainer.model().most_work());
  const GivenTensors tensors = unpack_tensors("inputs", inputs);
  const PlanPtr plan = trainer.step_plan(given_shapes(trainer.model().graph(), tensors));
  const UnpackedInputs unpacked = unpacked_inputs("step", plan->graph, tensors, {});
  check_all_finite(plan->graph, unpacked);
  const Caller caller(progress);
  const Trainer::Step done = trainer.step(*plan, unpacked.pointers, caller.progress());
  val result = val::object();
  result.set("loss", done.loss);
  result.set("gradient_norm", done.gradient_norm);
  result.set("lr", done.lr);
  result.set("updated", done.updated);
  return ResultsValue(result);
}

ResultsValue evaluate(Trainer& trainer, const InputsValue& inputs, const ProgressValue& progress) {
  rouse_threads(trainer.model().most_work());
  const GivenTensors tensors = unpack_tensors("inputs", inputs);
  const PlanPtr plan = trainer.evaluation_plan(given_shapes(trainer.model().graph(), tensors));
  const UnpackedInputs unpacked = unpacked_inputs("evaluate", plan->graph, tensors, {});
  const Caller caller(progress);
  Results results = trainer.evaluate(*plan, unpacked.pointers, caller.progress());
  val packed = pack_results(results, false);
  packed.set("loss", static_cast<double>(*results.at("loss").data()));
  return ResultsValue(packed);
}

StateValue gradients(const Trainer& trainer) {
  return StateValue(pack_entries(trainer.gradients()));
}

TrainerStateValue trainer_state(const Trainer& trainer) {
  const MersenneTwister& engine = trainer.engine();
  std::vector<int32_t> words(engine.words().begin(), engine.words().end());
  words.push_back(static_cast<int32_t>(engine.used()));
  val state = val::object();
  state.set("tensors", pack_entries(trainer.state()));
  state.set("updates", static_cast<double>(trainer.updates()));
  state.set("accumulated", static_cast<double>(trainer.accumulated()));
  state.set("generator", pack_integers(words, {static_cast<int64_t>(words.size())}));
  return TrainerStateValue(state);
}

/// Both the weights of the model and what the trainer keeps, or neither.
void load_trainer_state(Trainer& trainer, const StateValue& parameters,
                        const TrainerStateValue& state) {
  Model& model = trainer.model();
  static const std::vector<Field> counts = {
      integer_field("updates", "Updates that were made.", 0, 0, kMaxSeed),
      integer_field("accumulated", "Calls since the last update.", 0, 0,
                    trainer.recipe().accumulation_steps - 1)};
  const RawConfig raw = {{"updates", unpack_value(state["updates"])},
                         {"accumulated", unpack_value(state["accumulated"])}};
  const std::vector<Value> values = resolve("the saved state", counts, raw, "entry");
  const auto accumulated = std::get<int64_t>(values[1]);
  const ParameterValues weights = unpack_parameters(model, parameters);
  const std::vector<Values> tensors =
      unpack_state("the optimizer", state["tensors"], trainer.expected_state(accumulated));
  constexpr size_t kWords = MersenneTwister::kWords;
  Values own;
  const Tensor expected{.name = "generator",
                        .shape = {static_cast<int64_t>(kWords + 1)},
                        .role = Role::kInput,
                        .limit = 1};
  const std::vector<int32_t> words =
      GivenTensor("generator", state["generator"]).integers(expected);
  if (words.back() < 0 || words.back() > static_cast<int32_t>(kWords)) {
    throw FieldError("generator", "generator must end with how many of its words have been used");
  }
  MersenneTwister engine(0);
  std::array<uint32_t, kWords> restored{};
  std::copy_n(words.begin(), kWords, restored.begin());
  engine.restore(restored, static_cast<size_t>(words.back()));
  model.load_state(weights);
  trainer.restore(tensors, std::get<int64_t>(values[0]), accumulated, engine);
}

double held_bytes(const Learner& learner) { return static_cast<double>(learner.held_bytes()); }

PeaksValue peaks(const OptionsValue& options) {
  constexpr int64_t kDefault = int64_t{64} << 20, kMost = int64_t{1} << 30;
  const Field options_known[] = {integer_field(
      "read_bytes", "How much is read front to back, again and again.", kDefault, 1024, kMost)};
  const std::vector<Value> values = options_from("measurePeaks", options_known, options);
  const Peaks measured = measure_peaks(std::get<int64_t>(values[0]));
  val result = val::object();
  result.set("flops_per_second", measured.flops_per_second);
  result.set("bytes_per_second", measured.bytes_per_second);
  return PeaksValue(result);
}

double memory_limit() { return kMemoryLimit; }

double run_bytes(const ConfigValue& config, const OptionsValue& options, const NamesValue& names) {
  const Field options_known[] = {need_weights_field(), storage_field(), round_field(),
                                 compare_field(), tensors_field()};
  const std::vector<Value> values = options_from("runBytes", options_known, options);
  const PlanKey key{.weights = std::get<bool>(values[0]), .tensors = names_from(names)};
  const Dtype storage = dtype_from(std::get<std::string_view>(values[1]));
  const RunOptions how{.round = rounded_to(values[2]), .compare = std::get<bool>(values[3])};
  return static_cast<double>(bytes_to_run(config_from(config), key, storage, how));
}

}  // namespace
}  // namespace attnscope

using namespace attnscope;  // a table of names; nothing here is a header

EMSCRIPTEN_BINDINGS(attnscope) {
  // The build writes that file, from layers().
  emscripten::register_type<ConfigValue>("Config", "import('./config.js').Config");
  emscripten::register_type<ConfigsValue>("Configs", "readonly Config[]");
  emscripten::register_type<OptionsValue>("Options", "Record<string, unknown>");
  emscripten::register_type<TensorValue>("FloatTensor", "import('../types.js').Tensor");
  emscripten::register_type<InputsValue>(
      "Inputs",
      "Record<string, { data: Data; shape: readonly number[]; dtype?: unknown } | ResidentTensor>");
  emscripten::register_type<ProgressValue>("Progress", "((done: number) => void) | undefined");
  emscripten::register_type<DataValue>("Data", "ArrayBufferView");
  emscripten::register_type<ResultsValue>("Results", "Record<string, unknown>");
  emscripten::register_type<StateValue>("StateDict", "Record<string, FloatTensor>");
  emscripten::register_type<IntegersValue>("IntegerTensor", "import('../types.js').Ids");
  emscripten::register_type<NumberValue>("Integer", "number");
  emscripten::register_type<ShapeValue>("Shape", "readonly number[]");
  emscripten::register_type<PeaksValue>("Peaks",
                                        "{ flops_per_second: number; bytes_per_second: number }");

  emscripten::register_type<TextValue>("string");
  emscripten::register_type<NamesValue>("readonly string[]");
  emscripten::register_type<NumbersValue>("readonly number[]");
  emscripten::register_type<TrainerStateValue>(
      "{ tensors: Record<string, FloatTensor>; updates: number; accumulated: number; "
      "generator: IntegerTensor }");

  emscripten::function("layers", &bound<&layer_table>);
  emscripten::function("formats", &bound<&format_table>);
  emscripten::function("estimate(config, options)",
                       &bound<&estimate, const ConfigValue&, const OptionsValue&>);
  emscripten::function(
      "estimateTraining(config, options, how, loss, optimizer, schedule, classWeights, frozen)",
      &bound<&estimate_training, const ConfigValue&, const OptionsValue&, const OptionsValue&,
             const OptionsValue&, const OptionsValue&, const OptionsValue&, const NumbersValue&,
             const NamesValue&>);
  emscripten::function("estimates(configs, options)",
                       &bound<&estimates, const ConfigsValue&, const OptionsValue&>);
  emscripten::function("pytorch(config, options)",
                       &bound<&pytorch, const ConfigValue&, const OptionsValue&>);
  emscripten::function("create(config, options)",
                       &bound<&create, const ConfigValue&, const OptionsValue&>,
                       emscripten::return_value_policy::take_ownership());
  emscripten::function(
      "createTrainer(config, modelOptions, options, loss, optimizer, schedule, classWeights, "
      "frozen)",
      &bound<&create_trainer, const ConfigValue&, const OptionsValue&, const OptionsValue&,
             const OptionsValue&, const OptionsValue&, const OptionsValue&, const NumbersValue&,
             const NamesValue&>,
      emscripten::return_value_policy::take_ownership());
  emscripten::function("randn(shape, options)",
                       &bound<&randn_tensor, const ShapeValue&, const OptionsValue&>);
  emscripten::function(
      "randint(high, shape, options)",
      &bound<&randint_tensor, const NumberValue&, const ShapeValue&, const OptionsValue&>);
  emscripten::function("measurePeaks(options)", &bound<&peaks, const OptionsValue&>);
  emscripten::function("memoryLimit", &bound<&memory_limit>);
  emscripten::function(
      "runBytes(config, options, tensors)",
      &bound<&run_bytes, const ConfigValue&, const OptionsValue&, const NamesValue&>);
  emscripten::function("setThreadCount(count)", &bound<&set_thread_count, int>);
  emscripten::function("runningThreads", &bound<&running_threads>);
  emscripten::function("tensor(data, shape, options)",
                       &bound<&tensor, const DataValue&, const ShapeValue&, const OptionsValue&>);
  emscripten::class_<ResidentTensor>("ResidentTensor")
      .smart_ptr<std::shared_ptr<ResidentTensor>>("SharedTensor")
      .function("data", &bound<&resident_data, const ResidentTensor&>)
      .function("shape", &bound<&resident_shape, const ResidentTensor&>)
      .function("bytes", &bound<&resident_bytes, const ResidentTensor&>);
  emscripten::class_<Learner>("Model")
      .function("forward(inputs, options, progress, tensors)",
                &bound<&forward, const Learner&, const InputsValue&, const OptionsValue&,
                       const ProgressValue&, const NamesValue&>)
      .function(
          "step(inputs, options, progress)",
          &bound<&step, Learner&, const InputsValue&, const OptionsValue&, const ProgressValue&>)
      .function("backward(inputs, gradients, options, progress, tensors)",
                &bound<&backward, const Learner&, const InputsValue&, const InputsValue&,
                       const OptionsValue&, const ProgressValue&, const NamesValue&>)
      .function("describe", &bound<&describe_model, const Learner&>)
      .function("bytes", &bound<&held_bytes, const Learner&>)
      .function("pastLength", &bound<&past_len, const Learner&>)
      .function("clearCache", &bound<&clear_cache, Learner&>)
      .function("stateDict", &bound<&state_dict, const Learner&>)
      .function("loadStateDict(state)", &bound<&load_state_dict, Learner&, const StateValue&>)
      // Of one that createTrainer() has made:
      .function("train(inputs, progress)",
                &bound<&train, Learner&, const InputsValue&, const ProgressValue&>)
      .function("evaluate(inputs, progress)",
                &bound<&evaluate, Learner&, const InputsValue&, const ProgressValue&>)
      .function("gradients", &bound<&gradients, const Learner&>)
      .function("trainerState", &bound<&trainer_state, const Learner&>)
      .function("loadTrainerState(parameters, state)",
                &bound<&load_trainer_state, Learner&, const StateValue&, const TrainerStateValue&>);
}
