// The gate's messages, whole.

#include <limits>

#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

TEST_CASE("a wrong config names the field, the rule and the value") {
  struct Case {
    RawConfig config;
    const char* message;
  };
  const Case cases[] = {
      {{},
       "layer is missing; it must be one of linear_scorer, additive_scorer, "
       "scaled_dot_product_attention, multihead_attention"},
      {{{"layer", raw("linear_scorer")}, {"batch_size", raw(2.5)}},
       "batch_size must be an integer from 1 to 2147483647, got 2.5"},
      {{{"layer", raw("linear_scorer")}, {"batch_size", raw(0)}},
       "batch_size must be an integer from 1 to 2147483647, got 0"},
      {{{"layer", raw("linear_scorer")},
        {"batch_size", raw(std::numeric_limits<double>::quiet_NaN())}},
       "batch_size must be an integer from 1 to 2147483647, got NaN"},
      {{{"layer", raw("linear_scorer")}, {"seq_len", raw(9007199254740992.0)}},
       "seq_len must be an integer from 1 to 2147483647, got 9007199254740992"},
      {{{"layer", raw("linear_scorer")}, {"seq_len", raw("2")}},
       "seq_len must be an integer from 1 to 2147483647, got \"2\""},
      {{{"layer", raw("linear_scorer")}, {"bias", raw(1)}}, "bias must be true or false, got 1"},
      {{{"layer", raw("linear_scorer")}, {"output", raw("mean")}},
       "output must be one of scores, weights, pooled, got \"mean\""},
      {{{"layer", raw("linear_scorer")}, {"hiden_size", raw(3)}},
       "linear_scorer has no field \"hiden_size\", did you mean hidden_size?"},
      {{{"layer", raw("linear_scorer")}, {"attn_dim", raw(3)}},
       "linear_scorer has no field \"attn_dim\"; its fields are batch_size, seq_len, hidden_size, "
       "bias, dtype, output"},
      {{{"layer", raw("multihead_attention")}, {"num_heads", raw(7)}},
       "num_heads must divide hidden_size (768), got 7"},
  };
  for (const auto& [fields, message] : cases) CHECK_THROWS_WITH(resolve(fields), message);
}

TEST_CASE("a field that is left out takes its default") {
  const Config one = config("additive_scorer", {{"attn_dim", raw(64)}});
  CHECK(one.integer("attn_dim") == 64);
  CHECK(one.integer("hidden_size") == 768);
  CHECK(one.flag("bias"));
  CHECK(one.choice("output") == "pooled");
}
