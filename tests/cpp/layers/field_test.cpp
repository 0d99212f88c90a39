// The gate's messages, whole.

#include <algorithm>
#include <limits>
#include <span>

#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// The only field of a list, resolved.
Value resolved(const Field& field, RawValue value) {
  return resolve("layer", std::vector<Field>{field},
                 {{std::string(field.name), std::move(value)}})[0];
}

}  // namespace

TEST_CASE("a missing layer is answered with all that there are") {
  std::vector<std::string_view> names;
  for (const Layer* layer : layers()) names.push_back(layer->name);
  CHECK(names.size() > 1);
  const std::string message = "layer is missing; it must be one of " + join(names);
  CHECK_THROWS_WITH(resolve(RawConfig{}), message.c_str());
}

TEST_CASE("a wrong config names the field, the rule and the value") {
  struct Case {
    RawConfig config;
    const char* message;
  };
  const Case cases[] = {
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
      {{{"layer", raw("self_attention")}, {"dropout", raw(1)}},
       "dropout must be a number from 0 to 0.999, got 1"},
      {{{"layer", raw("self_attention")}, {"dropout", raw("0.1")}},
       "dropout must be a number from 0 to 0.999, got \"0.1\""},
      {{{"layer", raw("self_attention")}, {"dropout", {Null()}}},
       "dropout must be a number from 0 to 0.999, got null"},
      {{{"layer", raw("decoder")}, {"window", raw(0)}},
       "window must be an integer from 1 to 2147483647, or null, got 0"},
      {{{"layer", raw("decoder")}, {"scale", raw(true)}},
       "scale must be a number above 0 and at most 1000000, or null, got true"},
      {{{"layer", raw("decoder")}, {"seq_len", {Null()}}},
       "seq_len must be an integer from 1 to 2147483647, got null"},
      {{{"layer", raw("decoder")}, {"full_every", raw(2)}},
       "full_every needs a window, got 2 without one"},
      {{{"layer", raw("decoder")}, {"rope_local_base_freq", raw(100)}},
       "rope_local_base_freq needs a window, got 100 without one"},
      {{{"layer", raw("decoder")}, {"attn_logit_softcapping", raw(0)}},
       "attn_logit_softcapping must be a number above 0 and at most 1000000, or null, got 0"},
      {{{"layer", raw("grouped_query_attention")}, {"num_kv_heads", raw(5)}},
       "num_kv_heads must divide num_heads (12), got 5"},
      {{{"layer", raw("encoder")}, {"seq_len", raw(513)}},
       "seq_len must be at most max_positions (512) where position is learned, got 513"},
      {{{"layer", raw("encoder")}, {"seq_len", raw(511)}, {"position_offset", raw(2)}},
       "seq_len must be at most max_positions - position_offset (510) where position is learned, "
       "got 511"},
      {{{"layer", raw("encoder")}, {"position_offset", raw(512)}},
       "position_offset must be less than max_positions (512) where position is learned, got 512"},
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

TEST_CASE("numbers take both ends of their range, and fractions between them") {
  const Field share = number_field("share", "A share.", 0.5, 0, 0.999);
  for (const double value : {0.0, 1e-300, 0.25, 0.999}) {
    CAPTURE(value);
    CHECK(std::get<double>(resolved(share, raw(value))) == value);
  }
  for (const double value : {-1e-300, 0.9991, 1.0, static_cast<double>(INFINITY)}) {
    const std::string message = "share must be a number from 0 to 0.999, got " + number_text(value);
    CHECK_THROWS_WITH(resolved(share, raw(value)), message.c_str());
  }
  CHECK_THROWS_WITH(resolved(share, raw(static_cast<double>(NAN))),
                    "share must be a number from 0 to 0.999, got NaN");
}

TEST_CASE("a number above its minimum is not the minimum, and may be as near as numbers are") {
  const Field scale = above_min(number_field("scale", "A factor.", 1, 0, 10));
  for (const double value : {std::numeric_limits<double>::denorm_min(), 10.0}) {
    CHECK(std::get<double>(resolved(scale, raw(value))) == value);
  }
  for (const double value : {0.0, -0.0, -1.0, 10.5}) {
    const std::string message =
        "scale must be a number above 0 and at most 10, got " + number_text(value);
    CHECK_THROWS_WITH(resolved(scale, raw(value)), message.c_str());
  }
}

TEST_CASE("samples are values that their field takes") {
  size_t sampled = 0;
  for (const Layer* layer : layers()) {
    for (const Field& field : layer->fields) {
      CAPTURE(layer->name);
      CAPTURE(field.name);
      for (const double sample : field.samples) CHECK_NOTHROW(resolved(field, raw(sample)));
      sampled += field.samples.size();
    }
  }
  CHECK(sampled > 0);
}

TEST_CASE("every layer has a place of its own on the list, and a name") {
  const std::span<const Layer* const> all = layers();
  for (size_t i = 1; i < all.size(); ++i) {
    CAPTURE(all[i]->name);
    CHECK(all[i - 1]->place < all[i]->place);
    CHECK(std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                       [&](const Layer* other) { return other->name == all[i]->name; }));
  }
}

TEST_CASE("an optional field takes null, which is its default, and values of its type") {
  const Field layers = optional(integer_field("layers", "Layers.", 3, 1, 5));
  CHECK(layers.optional());
  CHECK(std::holds_alternative<Null>(resolve("layer", std::vector<Field>{layers}, {})[0]));
  CHECK(std::holds_alternative<Null>(resolved(layers, {Null()})));
  CHECK(std::get<int64_t>(resolved(layers, raw(5))) == 5);
  CHECK_THROWS_WITH(resolved(layers, raw(6)),
                    "layers must be an integer from 1 to 5, or null, got 6");
  CHECK_THROWS_WITH(resolved(layers, raw("null")),
                    "layers must be an integer from 1 to 5, or null, got \"null\"");
}

TEST_CASE("a field of a config reads as what it is, and a null one as nothing") {
  const Config one = config("decoder", {{"window", raw(7)}, {"scale", {Null()}}});
  CHECK(one.optional_integer("window") == 7);
  CHECK(one.optional_number("scale") == std::nullopt);
  CHECK(one.optional_integer("full_every") == std::nullopt);
  CHECK(one.number("norm_eps") == 1e-5);
  CHECK(one.with("seq_len", int64_t{9}).integer("seq_len") == 9);
  CHECK(one.integer("seq_len") == 128);
  CHECK_THROWS_WITH(one.integer("length"), "decoder has no field length");
}

TEST_CASE("a field says what null stands for exactly where it may be null") {
  for (const Layer* layer : layers()) {
    for (const Field& field : layer->fields) {
      CAPTURE(layer->name);
      CAPTURE(field.name);
      CHECK((field.meaning.find("null: ") != field.meaning.npos) == field.optional());
    }
  }
}
