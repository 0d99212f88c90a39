#include "parameters.h"

#include <algorithm>

#include "op.h"

namespace attnscope {
namespace {

FlatNumbers sum(const FlatNumbers& a, const FlatNumbers& b) {
  return {a.parameters + b.parameters, a.modules + b.modules};
}

/// Room for what most classes declare, made at once.
template <class T>
void make_room(std::vector<T>& list) {
  constexpr size_t kUsual = 8;
  if (list.capacity() == 0) list.reserve(kUsual);
}

}  // namespace

int64_t Member::times(size_t kind) const {
  return std::count(order.begin(), order.end(), static_cast<int>(kind));
}

void Parameters::draw(ParameterId parameter, const Init& init) {
  make_room(draws_);
  draws_.push_back({parameter, init});
}

void Parameters::inherit(std::string_view base, std::string_view arguments) {
  base_ = base;
  base_arguments_ = arguments;
}

int Parameters::add_module(std::string_view name, std::string_view constructor) {
  make_room(modules_);
  modules_.push_back({std::string(name), std::string(constructor)});
  return static_cast<int>(modules_.size()) - 1;
}

ParameterId Parameters::add(int module, std::string_view name, Shape shape,
                            std::optional<Init> init) {
  if (module + 1 != static_cast<int>(modules_.size())) {
    wrong_graph("{} of {} is declared after the module {}",
                {name, module_name(module), modules_.back().name});
  }
  make_room(declared_);
  declared_.push_back({module, std::string(name), std::move(shape)});
  const auto parameter = static_cast<ParameterId>(declared_.size()) - 1;
  if (init) draw(parameter, *init);
  return parameter;
}

std::vector<Weight> Parameters::split(ParameterId parameter, std::vector<std::string> variables) {
  const auto parts = static_cast<int64_t>(variables.size());
  const int64_t length = shape_of(parameter)[0] / parts;
  declared_[static_cast<size_t>(parameter)].variables = std::move(variables);
  std::vector<Weight> weights;
  for (int64_t i = 0; i < parts; ++i) weights.push_back({parameter, i * length, (i + 1) * length});
  return weights;
}

int Parameters::add_member(Member member) {
  const int index = static_cast<int>(lists_.size());
  modules_.push_back({.name = member.name, .member = index});
  draws_.push_back({kNoParameter, {}, index});
  const FlatNumbers inside = numbers_in(member, member.order.size());
  lists_.push_back({std::make_shared<const Member>(std::move(member)),
                    {declared_.size(), modules_.size()},
                    inside});
  return index;
}

const std::shared_ptr<const Member>& Parameters::member(int index) const {
  return lists_[static_cast<size_t>(index)].member;
}

const Parameters::Declared& Parameters::one(ParameterId parameter) const {
  return declared_[static_cast<size_t>(parameter)];
}

std::string Parameters::name_of(ParameterId parameter) const {
  const Declared& declared = one(parameter);
  const std::string& owner = module_name(declared.module);
  if (owner.empty()) return declared.name;
  std::string name;
  name.reserve(owner.size() + 1 + declared.name.size());
  return name.append(owner).append(1, '.').append(declared.name);
}

const std::string& Parameters::module_name(int module) const {
  return modules_[static_cast<size_t>(module)].name;
}

const std::vector<std::string>& Parameters::variables_of(ParameterId parameter) const {
  return one(parameter).variables;
}

Count Parameters::elements() const {
  Count count = 0;
  for (const Declared& declared : declared_) {
    count = attnscope::sum(count, attnscope::elements(declared.shape));
  }
  for (const List& list : lists_) {
    for (size_t kind = 0; kind < list.member->kinds.size(); ++kind) {
      const Count each = list.member->kinds[kind]->elements();
      count = attnscope::sum(count, product({list.member->times(kind), each}));
    }
  }
  return count;
}

FlatNumbers Parameters::numbers() const {
  FlatNumbers all{declared_.size(), modules_.size()};
  for (const List& list : lists_) all = sum(all, list.inside);
  return all;
}

FlatNumbers Parameters::numbers_in(const Member& list, size_t places) {
  const auto end = list.order.begin() + static_cast<std::ptrdiff_t>(places);
  FlatNumbers all;
  for (size_t kind = 0; kind < list.kinds.size(); ++kind) {
    const FlatNumbers each = list.kinds[kind]->numbers();
    const auto times =
        static_cast<size_t>(std::count(list.order.begin(), end, static_cast<int>(kind)));
    all = sum(all, {each.parameters * times, each.modules * times});
  }
  return all;
}

size_t Parameters::flat(int index, size_t FlatNumbers::* what) const {
  size_t number = static_cast<size_t>(index);
  for (const List& list : lists_) {
    if (list.before.*what <= static_cast<size_t>(index)) number += list.inside.*what;
  }
  return number;
}

size_t Parameters::flat(ParameterId parameter) const {
  return flat(parameter, &FlatNumbers::parameters);
}

size_t Parameters::flat_module(int module) const { return flat(module, &FlatNumbers::modules); }

FlatNumbers Parameters::begin_of(Place place) const {
  const List& list = lists_[static_cast<size_t>(place.member)];
  FlatNumbers begin = list.before;
  for (int i = 0; i < place.member; ++i) {
    begin = sum(begin, lists_[static_cast<size_t>(i)].inside);
  }
  return sum(begin, numbers_in(*list.member, static_cast<size_t>(place.place)));
}

Parameters::Found Parameters::find(size_t flat, size_t FlatNumbers::* what) const {
  size_t passed = 0;  // of the lists before it
  for (const List& list : lists_) {
    const size_t begin = list.before.*what + passed;
    if (flat < begin) break;
    if (flat >= begin + list.inside.*what) {
      passed += list.inside.*what;
      continue;
    }
    size_t left = flat - begin;
    for (size_t place = 0;; ++place) {
      const auto kind = static_cast<size_t>(list.member->order[place]);
      const Parameters& set = *list.member->kinds[kind];
      const size_t each = set.numbers().*what;
      if (left >= each) {
        left -= each;
        continue;
      }
      Found inside = set.find(left, what);
      inside.prefix = format("{}.{}.{}", {list.member->name, place, inside.prefix});
      return inside;
    }
  }
  return {*this, {}, static_cast<int>(flat - passed)};
}

std::pair<std::string, Shape> Parameters::at(size_t flat) const {
  const Found found = find(flat, &FlatNumbers::parameters);
  return {found.prefix + found.set.name_of(found.index), found.set.shape_of(found.index)};
}

std::string Parameters::module_at(size_t flat) const {
  const Found found = find(flat, &FlatNumbers::modules);
  return found.prefix + found.set.module_name(found.index);
}

const std::vector<std::string>& Parameters::variables_at(size_t flat) const {
  const Found found = find(flat, &FlatNumbers::parameters);
  return found.set.variables_of(found.index);
}

const std::shared_ptr<const Parameters>& no_parameters() {
  static const auto none = std::make_shared<const Parameters>();
  return none;
}

bool same_parameters(const Parameters& a, const Parameters& b) {
  if (&a == &b) return true;
  if (a.count() != b.count() || a.modules().size() != b.modules().size()) return false;
  for (ParameterId id = 0; id < a.count(); ++id) {
    if (a.shape_of(id) != b.shape_of(id) || a.name_of(id) != b.name_of(id)) return false;
  }
  for (size_t i = 0; i < a.modules().size(); ++i) {
    const Module &one = a.modules()[i], &other = b.modules()[i];
    if (one.member != other.member) return false;
    if (one.member == kNoMember) continue;
    const Member &list = *a.member(one.member), &others = *b.member(other.member);
    const bool alike =
        list.name == others.name && list.order == others.order &&
        std::equal(list.kinds.begin(), list.kinds.end(), others.kinds.begin(), others.kinds.end(),
                   [](const auto& kind, const auto& counterpart) {
                     return same_parameters(*kind, *counterpart);
                   });
    if (!alike) return false;
  }
  return true;
}

}  // namespace attnscope
