#include "../../../cpp/ops/embedding.h"

#include "../../../cpp/run/parameters.h"
#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// With what the table begins.
Values first_values(PaddingIndex padding) {
  Parameters parameters;
  declare_embedding(parameters, "words", 4, 3, padding);
  return initial_values(parameters, 7)[0];
}

std::string constructor_of(PaddingIndex padding) {
  Parameters parameters;
  declare_embedding(parameters, "words", 4, 3, padding);
  return parameters.modules()[0].constructor;
}

}  // namespace

TEST_CASE("a row's gradient is the sum of those of its tokens") {
  const Array tokens = array({3}, {2, 0, 2}), dy = array({3, 2}, {1, 2, 3, 4, 5, 6});
  CHECK(values(EmbeddingGradient(3).forward({&dy, &tokens})) ==
        std::vector<double>{3, 4, 0, 0, 6, 8});
}

TEST_CASE("the padding token's row gets no gradient") {
  const Array tokens = array({3}, {2, 0, 2}), dy = array({3, 2}, {1, 2, 3, 4, 5, 6});
  CHECK(values(EmbeddingGradient(3, 2).forward({&dy, &tokens})) ==
        std::vector<double>{3, 4, 0, 0, 0, 0});
  CHECK(values(EmbeddingGradient(3, 0).forward({&dy, &tokens})) ==
        std::vector<double>{0, 0, 0, 0, 6, 8});
}

TEST_CASE("the padding token's row begins as zeros, the others as they would without one") {
  Values expected = first_values({});
  for (size_t e = 0; e < 3; ++e) expected.data()[2 * 3 + e] = 0.0f;
  CHECK(first_values(2) == expected);
}

TEST_CASE("nn.Embedding is told of a padding token") {
  CHECK(constructor_of({}) == "nn.Embedding(4, 3)");
  CHECK(constructor_of(0) == "nn.Embedding(4, 3, padding_idx=0)");
}
