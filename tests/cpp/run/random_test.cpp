// Values printed by torch 2.14.1 after torch.manual_seed(0); tests/torch compares many more.

#include "../../../cpp/run/random.h"

#include "../../../cpp/run/parameters.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

// PyTorch's vector code has its own logarithm and cosine, up to 3 ULP from libm's.
constexpr double kVectorMath = 4e-7;

}  // namespace

TEST_CASE("short tensors take the path in double, and half a pair waits for the next call") {
  Generator generator(0);
  float values[6];
  generator.fill_normal(values, 3);
  generator.fill_normal(values + 3, 3);
  const double expected[] = {1.5409960746765137, -0.293428897857666,  -2.1787893772125244,
                             0.5684312582015991, -1.0845223665237427, -1.3985954523086548};
  for (int i = 0; i < 6; ++i) CHECK(values[i] == static_cast<float>(expected[i]));
}

TEST_CASE("a length that is no multiple of 16 draws its last 16 values anew") {
  const double first[] = {-1.12583983, -1.6959312, 0.566650629, 0.793508351};
  const Values seventeen = randn({17}, 0);
  for (size_t i = 0; i < 4; ++i) check_close(seventeen.data()[i], first[i], kVectorMath);
  check_close(seventeen.data()[16], 0.931826591, kVectorMath);
}

TEST_CASE("a linear layer draws weight, then bias, with PyTorch's exact values") {
  const Graph graph = graph_of(config("linear_scorer"));
  const ParameterValues drawn = initial_values(graph.parameters(), 0);
  const Values& weight = drawn[0];
  CHECK(weight.data()[0] == -0.00027015735395252705f);
  CHECK(weight.data()[1] == 0.019357239827513695f);
  CHECK(weight.data()[2] == -0.029699083417654037f);
  CHECK(drawn[1].data()[0] == -0.027685197070240974f);
}

TEST_CASE("only the low 32 bits of a seed count") {
  CHECK(randn({5}, 5) == randn({5}, (uint64_t{1} << 40) + 5));
  CHECK(randn({5}, 5) != randn({5}, 6));
}
