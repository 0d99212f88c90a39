#include "parameters.h"

#include <algorithm>

namespace attnscope {
namespace {

void draw(const Init& init, Generator& generator, Values& values) {
  const int64_t count = static_cast<int64_t>(values.size());
  switch (init.kind) {
    case Init::Kind::kZeros:
      values.fill(0.0f);
      return;
    case Init::Kind::kOnes:
      values.fill(1.0f);
      return;
    case Init::Kind::kUniform:
      generator.fill_uniform(static_cast<float>(-init.spread), static_cast<float>(init.spread),
                             values.data(), count);
      return;
    case Init::Kind::kNormal:
      generator.fill_normal(values.data(), count, init.spread);
      return;
  }
}

/// Draws what is declared in a set; its flat numbers begin at `begin`.
void draw_all(const Parameters& set, size_t begin, Generator& generator, ParameterValues& values) {
  for (const Draw& one : set.draws()) {
    if (one.member != kNoMember) {
      const Member& list = *set.member(one.member);
      for (int place = 0; place < std::ssize(list.order); ++place) {
        const auto kind = static_cast<size_t>(list.order[static_cast<size_t>(place)]);
        const size_t inside = set.begin_of({one.member, place}).parameters;
        draw_all(*list.kinds[kind], begin + inside, generator, values);
      }
      continue;
    }
    Values& drawn = values[begin + set.flat(one.parameter)];
    drawn = make_values(set.shape_of(one.parameter));
    draw(one.init, generator, drawn);
    if (const std::optional<int64_t> row = one.init.zero_row) {
      const size_t length = drawn.size() / drawn.shape(0);
      std::fill_n(drawn.data() + static_cast<size_t>(*row) * length, length, 0.0f);
    }
  }
}

}  // namespace

ParameterValues initial_values(const Parameters& parameters, uint64_t seed) {
  Generator generator(seed);
  return initial_values(parameters, generator);
}

ParameterValues initial_values(const Parameters& parameters, Generator& generator) {
  ParameterValues values(parameters.flat_count());
  draw_all(parameters, 0, generator, values);
  return values;
}

}  // namespace attnscope
