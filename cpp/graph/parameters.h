#pragma once

// The learned tensors of one class: their names, their order, and what PyTorch calls, constructs
// and draws. Knows no graph, and holds no numbers.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor.h"

namespace attnscope {

inline constexpr int kNoMember = -1;

/// How PyTorch draws a parameter's first values.
struct Init {
  enum class Kind { kZeros, kOnes, kUniform, kNormal } kind = Kind::kZeros;
  double spread = 0;  // kUniform: drawn from [-spread, spread); kNormal: the standard deviation
  std::optional<int64_t> zero_row{};  // by the first dimension: set to zeros after the draw
};

/// A parameter, or rows [begin, end) of it by its first dimension.
struct Weight {
  ParameterId parameter = kNoParameter;
  int64_t begin = 0, end = 0;  // end 0: all of it

  bool exists() const { return parameter != kNoParameter; }
};

/// An nn.Module that owns parameters. The module called "" is the class itself.
struct Module {
  std::string name;  // "score": parameters are called "score.weight", ...; dots nest modules
  std::string constructor{};  // "nn.Linear(768, 1)"; empty where a base class makes it
  int member = kNoMember;     // of an nn.ModuleList: which it is
};

/// One call of the random generator while PyTorch constructs the class; or, of a list, all those of
/// its places.
struct Draw {
  ParameterId parameter;
  Init init;
  int member = kNoMember;
};

class Parameters;

/// A list of other sets (nn.ModuleList): each place has values of its own.
struct Member {
  std::string name;                                      // "encoder.layer"
  std::vector<std::shared_ptr<const Parameters>> kinds;  // the classes of its modules
  std::vector<int> order;                                // of each place, which kind it is
  Axis axis = Axis::kLayer;                              // of the places

  /// How many places are of this kind.
  int64_t times(size_t kind) const;
};

/// One place of a list.
struct Place {
  int member, place;
};

/// How many parameters and modules stand somewhere, those of lists included.
struct FlatNumbers {
  size_t parameters = 0, modules = 0;
};

/// Parameters are numbered in two ways. In its own set a parameter has the place of its
/// declaration, its ParameterId. Its flat number is its place in the state dict of the whole class,
/// where those of all lists stand between: "encoder.layer.3.output.dense.weight". Modules are
/// numbered alike.
class Parameters {
 public:
  /// `class_name`: of the class that is printed; a text that outlives the set.
  explicit Parameters(std::string_view class_name = "") : class_name_(class_name) {}

  /// The printed class inherits from this one of PyTorch's, whose constructor makes the modules
  /// that are declared without a constructor.
  void inherit(std::string_view base, std::string_view arguments);

  /// Declares a module; returns its number. Modules are declared in the order in which PyTorch
  /// constructs them.
  int add_module(std::string_view name, std::string_view constructor);

  /// Declares the next parameter of the latest module, called "module.name", and draws it; without
  /// `init` PyTorch's constructor draws it later, and draw() says when.
  ParameterId add(int module, std::string_view name, Shape shape, std::optional<Init> init = {});

  /// Draws a parameter's values. Of several draws the last one gives the values; those before only
  /// use up random numbers, as PyTorch's constructor does.
  void draw(ParameterId parameter, const Init& init);

  /// A parameter's rows in equal parts, which printed code unpacks into variables of these names.
  std::vector<Weight> split(ParameterId parameter, std::vector<std::string> variables);

  /// Declares a list; returns its number.
  int add_member(Member member);

  std::string_view class_name() const { return class_name_; }
  const std::string& base() const { return base_; }
  const std::string& base_arguments() const { return base_arguments_; }
  const std::vector<Module>& modules() const { return modules_; }
  const std::vector<Draw>& draws() const { return draws_; }
  const std::shared_ptr<const Member>& member(int index) const;

  /// Of what is declared here, without lists.
  int count() const { return static_cast<int>(declared_.size()); }
  const Shape& shape_of(ParameterId parameter) const { return one(parameter).shape; }
  std::string name_of(ParameterId parameter) const;
  const std::string& module_name(int module) const;
  int module_of(ParameterId parameter) const { return one(parameter).module; }
  /// The names of the parts into which printed code unpacks it; empty where it does not.
  const std::vector<std::string>& variables_of(ParameterId parameter) const;

  /// Elements of all parameters, those of lists included.
  Count elements() const;

  size_t flat_count() const { return numbers().parameters; }
  size_t flat(ParameterId parameter) const;
  size_t flat_module(int module) const;
  /// The flat numbers with which a place of a list begins.
  FlatNumbers begin_of(Place place) const;

  /// The ways back.
  std::pair<std::string, Shape> at(size_t flat) const;
  std::string module_at(size_t flat) const;
  const std::vector<std::string>& variables_at(size_t flat) const;

 private:
  struct Declared {
    int module;
    std::string name;  // "weight"
    Shape shape;
    std::vector<std::string> variables{};
  };
  struct List {
    std::shared_ptr<const Member> member;
    FlatNumbers before;  // what was declared here before it
    FlatNumbers inside;  // what stands in all its places
  };
  /// Something of a set that stands in this one.
  struct Found {
    const Parameters& set;
    std::string prefix;  // "encoder.layer.3."
    int index;           // of its own
  };

  const Declared& one(ParameterId parameter) const;
  FlatNumbers numbers() const;
  /// What stands in the first places of a list.
  static FlatNumbers numbers_in(const Member& list, size_t places);
  size_t flat(int index, size_t FlatNumbers::* what) const;
  Found find(size_t flat, size_t FlatNumbers::* what) const;

  std::string_view class_name_;
  std::string base_, base_arguments_;
  std::vector<Module> modules_;
  std::vector<Declared> declared_;
  std::vector<Draw> draws_;
  std::vector<List> lists_;
};

/// A set without parameters: that of graphs which use none.
const std::shared_ptr<const Parameters>& no_parameters();

/// Whether they have the same parameters: names and shapes, in order, lists included.
bool same_parameters(const Parameters& a, const Parameters& b);

}  // namespace attnscope
