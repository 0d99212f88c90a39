#include "../../../cpp/analysis/pytorch.h"

#include "../../../cpp/analysis/estimate.h"
#include "../../../cpp/analysis/json.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

TEST_CASE("the printed module has a line for each step, with its shape") {
  const Config one = config("linear_scorer", {{"batch_size", raw(2)},
                                              {"seq_len", raw(3)},
                                              {"hidden_size", raw(4)},
                                              {"output", raw("scores")}});
  CHECK(pytorch_source(one, {.self_check = false}) == R"(from torch import nn


class LinearScorer(nn.Module):
    """One linear layer gives each position a score; softmax turns scores into weights."""

    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 1)

    def forward(self, hidden_states):
        # hidden_states: (2, 3, 4)
        scores = self.score(hidden_states)  # (2, 3, 1)
        return scores
)");
}

TEST_CASE("a repeated block is printed as a class of its own, a ModuleList and a loop") {
  const Config one = config("decoder", {{"seq_len", raw(3)},
                                        {"vocab_size", raw(7)},
                                        {"hidden_size", raw(4)},
                                        {"num_layers", raw(5)},
                                        {"num_heads", raw(2)},
                                        {"position", raw("none")},
                                        {"intermediate_size", raw(6)},
                                        {"gated", raw(false)}});
  const std::string text = pytorch_source(one, {.self_check = false});
  const auto has = [&text](const std::string& part) {
    CAPTURE(part);
    CHECK(text.find(part) != text.npos);
  };
  has(R"(class DecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn = nn.ModuleDict({
            "q_proj": nn.Linear(4, 4, bias=False),
            "k_proj": nn.Linear(4, 4, bias=False),
            "v_proj": nn.Linear(4, 4, bias=False),
            "o_proj": nn.Linear(4, 4, bias=False),
        })
        self.mlp = nn.ModuleDict({
            "up_proj": nn.Linear(4, 6, bias=False),
            "down_proj": nn.Linear(6, 4, bias=False),
        })
        self.input_layernorm = nn.RMSNorm(4, eps=1e-5)
        self.post_attention_layernorm = nn.RMSNorm(4, eps=1e-5)

    def forward(self, hidden_states):
)");
  has(R"(
        return layer_output, weights


class Decoder(nn.Module):
)");
  has(R"(        self.model = nn.ModuleDict({
            "embed_tokens": nn.Embedding(7, 4),
            "layers": nn.ModuleList(DecoderLayer() for _ in range(5)),
            "norm": nn.RMSNorm(4, eps=1e-5),
        })
        self.lm_head = nn.Linear(4, 7, bias=False)

    def forward(self, tokens):
        # tokens: (1, 3), integers below 7
        hidden_states = self.model.embed_tokens(tokens)  # (1, 3, 4)
        for layer in self.model.layers:
            hidden_states, weights = layer(hidden_states)  # (1, 3, 4)
        normed_hidden = self.model.norm(hidden_states)  # (1, 3, 4)
        logits = self.lm_head(normed_hidden)            # (1, 3, 7)
        return logits, weights
)");
}

TEST_CASE("with masks, forward takes them and hands them on") {
  const std::string text = pytorch_source(
      config("decoder", {{"seq_len", raw(3)}, {"num_heads", raw(2)}, {"num_layers", raw(5)}}),
      {.self_check = false, .mask = true});
  const auto has = [&text](const std::string& part) {
    CAPTURE(part);
    CHECK(text.find(part) != text.npos);
  };
  has("def masked_softmax(scores, mask):");
  has("    def forward(self, hidden_states, rotation, mask):\n");
  has("    def forward(self, tokens, mask=None):\n");
  has("# mask: broadcasts to (1, 2, 3, 3), boolean (True = may attend) or float (added)\n");
  has("layer(hidden_states, rotation, mask)");
}

TEST_CASE("an additive scorer has no function before its class") {
  const std::string text = pytorch_source(config("additive_scorer", {{"batch_size", raw(2)},
                                                                     {"seq_len", raw(3)},
                                                                     {"hidden_size", raw(4)},
                                                                     {"attn_dim", raw(5)}}),
                                          {.self_check = false});
  CHECK(text == R"(import torch
from torch import nn


class AdditiveScorer(nn.Module):
    """A tanh layer of width attn_dim stands between the hidden state and its score."""

    def __init__(self):
        super().__init__()
        self.project = nn.Linear(4, 5)
        self.score = nn.Linear(5, 1)

    def forward(self, hidden_states):
        # hidden_states: (2, 3, 4)
        projected = self.project(hidden_states)                             # (2, 3, 5)
        activated = torch.tanh(projected)                                   # (2, 3, 5)
        scores = self.score(activated)                                      # (2, 3, 1)
        score_row = scores.squeeze(-1)                                      # (2, 3)
        weights = score_row.softmax(dim=-1)                                 # (2, 3)
        output = torch.bmm(weights.unsqueeze(1), hidden_states).squeeze(1)  # (2, 4)
        return output, weights
)");
}

TEST_CASE("layers of two kinds have a class each, and take from a stack each") {
  const auto text = [](RawConfig more) {
    RawConfig fields{{"seq_len", raw(3)}, {"window", raw(2)}, {"full_every", raw(3)}};
    fields.insert(fields.end(), more.begin(), more.end());
    return pytorch_source(config("decoder", fields), {.self_check = false, .mask = true});
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(part);
    CHECK(text.find(part) != text.npos);
  };
  const std::string caching = text({{"past_len", raw(3)}, {"num_layers", raw(7)}});
  has(caching, "class WindowedDecoderLayer(nn.Module):");
  has(caching, "class DecoderLayer(nn.Module):");
  has(caching, R"(
            "layers": nn.ModuleList(
                kind()
                for kind in (
                    ([WindowedDecoderLayer] * 2 + [DecoderLayer]) * 2 + [WindowedDecoderLayer]
                )
            ),
)");
  has(caching, R"(
    def forward(
        self,
        tokens,
        window_past_keys,
        window_past_values,
        past_keys,
        past_values,
        window_mask=None,
        mask=None,
    ):
)");
  has(caching, R"(
        window_past_keys, window_past_values = iter(window_past_keys), iter(window_past_values)
        past_keys, past_values = iter(past_keys), iter(past_values)
        for layer in self.model.layers:
            if isinstance(layer, WindowedDecoderLayer):
                hidden_states, weights = layer(
                    hidden_states,
                    next(window_past_keys),
                    next(window_past_values),
                    rotation,
                    window_mask,
                )  # (1, 3, 256)
            else:
                hidden_states, weights = layer(
                    hidden_states, next(past_keys), next(past_values), rotation, mask
                )  # (1, 3, 256)
)");
  const std::string alike = text({{"num_layers", raw(4)}});
  has(alike, R"(
        for layer in self.model.layers:
            hidden_states, weights = layer(hidden_states, rotation, mask)  # (1, 3, 256)
)");
  const std::string two_bases = text({{"num_layers", raw(4)}, {"rope_local_base_freq", raw(100)}});
  has(two_bases, "rotation = rotary_table(3, 32, 10000).to(hidden_states)");
  has(two_bases, "window_rotation = rotary_table(3, 32, 100).to(hidden_states)");
  has(two_bases, "layer(hidden_states, window_rotation, mask)");
}

TEST_CASE("a norm that adds one to its weights is printed as a class, once") {
  const std::string text = pytorch_source(config("decoder", {{"norm", raw("rms_norm_plus_one")}}),
                                          {.self_check = false});
  const size_t first = text.find("class RMSNormPlusOne(nn.RMSNorm):");
  CHECK(first != text.npos);
  CHECK(text.find("class RMSNormPlusOne", first + 1) == text.npos);
  CHECK(text.find("import torch.nn.functional as F") != text.npos);
  CHECK(text.find("self.input_layernorm = RMSNormPlusOne(256, eps=1e-5)") != text.npos);
}

TEST_CASE("the self-check expects the figures of the estimate, and no training figure of int8") {
  const std::string text = pytorch_source(config("additive_scorer"), {});
  CHECK(text.find("\"parameters\": 98561,") != text.npos);
  CHECK(text.find("\"saved_for_backward\": 14696448,") != text.npos);
  const std::string int8 = pytorch_source(config("additive_scorer", {{"dtype", raw("int8")}}), {});
  CHECK(int8.find("\"saved_for_backward\": 14696448") == int8.npos);
  CHECK(int8.find("saved") == int8.npos);
  CHECK(int8.find("AdditiveScorer()\n") != int8.npos);
  const std::string half =
      pytorch_source(config("additive_scorer", {{"dtype", raw("float16")}}), {});
  CHECK(half.find("AdditiveScorer().to(torch.float16)\n") != half.npos);
}

TEST_CASE("the functions above a class have only what its config asks for") {
  const auto plain = [](const char* layer, RawConfig fields) {
    return pytorch_source(config(layer, fields), {.self_check = false});
  };
  const auto text = [](const char* layer, RawConfig fields) {
    return pytorch_source(config(layer, fields), {.self_check = false, .mask = true});
  };
  const auto has = [](const std::string& text, const char* part) {
    CAPTURE(part);
    CHECK(text.find(part) != text.npos);
  };
  const std::string scorer = text("linear_scorer", {});
  has(scorer, "def masked_softmax(scores, mask):");
  for (const char* absent : {"window", "offset", "tail", "causal", "import torch.nn"}) {
    CAPTURE(absent);
    CHECK(scorer.find(absent) == scorer.npos);
  }

  const std::string causal = text("scaled_dot_product_attention", {{"is_causal", raw(true)}});
  has(causal, R"(
def causal_softmax(scores, mask):
    """masked_softmax() over the keys up to the query's position."""
    hidden = scores.new_full(scores.shape[-2:], float("-inf")).triu(1)
    return masked_softmax(scores + hidden, mask)
)");
  has(causal, "weights = causal_softmax(scores, mask)");
  const std::string only_causal = plain("scaled_dot_product_attention", {{"is_causal", raw(true)}});
  has(only_causal, R"(
def causal_softmax(scores):
    """Softmax over the keys up to the query's position."""
    hidden = scores.new_full(scores.shape[-2:], float("-inf")).triu(1)
    return (scores + hidden).softmax(dim=-1)
)");
  has(only_causal, "weights = causal_softmax(scores)");

  // Queries 6 to 8 see none of four keys.
  const std::string windowed = text("scaled_dot_product_attention",
                                    {{"window", raw(3)}, {"seq_len", raw(9)}, {"kv_len", raw(4)}});
  has(windowed, R"(
def windowed_softmax(scores, mask, window):
    """masked_softmax() over the keys nearer than `window` to the query's position."""
    hidden = scores.new_full(scores.shape[-2:], float("-inf"))
    hidden = hidden.triu(window) + hidden.tril(-window)
    return masked_softmax(scores + hidden, hidden if mask is None else mask)
)");
  has(windowed, "weights = windowed_softmax(scores, mask, window=3)");
  has(plain("scaled_dot_product_attention",
            {{"window", raw(3)}, {"seq_len", raw(9)}, {"kv_len", raw(4)}}),
      R"(
    hidden = hidden.triu(window) + hidden.tril(-window)
    scores = scores + hidden
    empty = scores.isneginf().all(dim=-1, keepdim=True)
    return scores.masked_fill(empty, 0.0).softmax(dim=-1).masked_fill(empty, 0.0)
)");

  const std::string tailed =
      text("multihead_attention", {{"is_causal", raw(true)}, {"add_zero_attn", raw(true)}});
  has(tailed, R"(
def causal_softmax(scores, mask, tail):
    """masked_softmax() over the keys up to the query's position and the last `tail` keys."""
    hidden = scores.new_full(scores.shape[-2:], float("-inf")).triu(1)
    hidden[:, -tail:] = 0.0
    if mask is not None:
        mask = F.pad(mask, (0, tail), value=float(mask.dtype == torch.bool))
    return masked_softmax(scores + hidden, mask)
)");

  const std::string classifier = plain("attention_classifier", {});
  has(classifier, "pooled = normed.mean(dim=1)");
  has(classifier, "weights = scores.softmax(dim=-1)");
  CHECK(classifier.find("def ") == classifier.find("def __init__"));
  const std::string padded = text("attention_classifier", {{"padding_idx", raw(0)}});
  has(padded, "self.embedding = nn.Embedding(5000, 128, padding_idx=0)");
  has(padded, "weights = masked_softmax(scores, over_queries(mask))");
  has(padded, "pooled = mean_pool(normed, mask)");
  has(padded,
      "# mask: broadcasts to (32, 128), boolean (True = keep) or float (0 = keep)\n"
      "        mask = padding_mask(mask)\n");
  has(padded, R"(def padding_mask(mask):
    """True = keep. A float mask keeps at 0 and hides at -1e4 and below (-9984 in bfloat16)."""
    if mask is None or mask.dtype == torch.bool:
        return mask
    if not ((mask == 0) | (mask <= -1e4) | (mask == -9984)).all():
        raise ValueError("mask must hold 0 to keep or at most -1e4 to hide")
    return mask == 0
)");
}

TEST_CASE("one function takes the calls of layers that keep a past and of those that keep none") {
  const std::string text = pytorch_source(config("decoder", {{"seq_len", raw(3)},
                                                             {"past_len", raw(4)},
                                                             {"window", raw(1)},
                                                             {"full_every", raw(2)},
                                                             {"num_layers", raw(2)},
                                                             {"position", raw("alibi")}}),
                                          {.self_check = false});
  const auto has = [&text](const char* part) {
    CAPTURE(part);
    CHECK(text.find(part) != text.npos);
  };
  has("def alibi_bias(num_heads, seq_len, kv_len, offset=0):");
  has("alibi_bias(8, 3, 3).to(hidden_states)");
  has("alibi_bias(8, 3, 7, offset=4).to(hidden_states)");
  CHECK(text.find("def alibi_bias") == text.rfind("def alibi_bias"));
}

TEST_CASE("what PyTorch packs is unpacked before its first part is used") {
  const std::string text =
      pytorch_source(config("transformer_decoder_layer"), {.self_check = false});
  const auto has = [&text](const char* part) {
    CAPTURE(part);
    CHECK(text.find(part) != text.npos);
  };
  has("query_weight, key_weight, value_weight = self.self_attn.in_proj_weight.chunk(3)");
  has("query_bias, key_bias, value_bias = self.self_attn.in_proj_bias.chunk(3)");
  has("projected_key = F.linear(hidden_states, key_weight, key_bias)");
  has("        cross_query_weight, cross_key_weight, cross_value_weight = (\n"
      "            self.multihead_attn.in_proj_weight.chunk(3)\n");
  has("cross_projected_key = F.linear(memory, cross_key_weight, cross_key_bias)");
}

TEST_CASE("no line of code is wider than 100 columns") {
  const std::string text = pytorch_source(
      config("multihead_attention", {{"add_bias_kv", raw(true)}}), {.self_check = false});
  CHECK(text.find(R"(
        extended_value = torch.cat(
            (projected_value, self.bias_v.expand(projected_value.size(0), -1, -1)), dim=1
        )                                                                      # (32, 129, 768)
)") != text.npos);
  const std::string kinds = pytorch_source(
      config("decoder", {{"window", raw(2)}, {"full_every", raw(3)}, {"num_layers", raw(5)}}),
      {.self_check = false});
  CHECK(kinds.find(R"(
            "layers": nn.ModuleList(
                kind()
                for kind in [WindowedDecoderLayer] * 2 + [DecoderLayer] + [WindowedDecoderLayer] * 2
            ),
)") != kinds.npos);
  const std::string four = pytorch_source(config("decoder", {{"window", raw(2)},
                                                             {"full_every", raw(3)},
                                                             {"nope_every", raw(2)},
                                                             {"past_len", raw(3)},
                                                             {"num_layers", raw(5)}}),
                                          {.self_check = false});
  CHECK(four.find(R"(
                for kind in (
                    [WindowedDecoderLayer, NopeWindowedDecoderLayer, DecoderLayer,
                    NopeWindowedDecoderLayer] + [WindowedDecoderLayer]
                )
)") != four.npos);
  CHECK(four.find(R"(
        nope_window_past_keys = iter(nope_window_past_keys)
        nope_window_past_values = iter(nope_window_past_values)
)") != four.npos);
  const std::string latent = pytorch_source(config("latent_attention"), {.self_check = false});
  CHECK(latent.find(R"(
    """Keys and values grow out of a narrow latent per position, the only thing that the KV cache
    keeps.
    """

    def __init__(self):
)") != latent.npos);
  CHECK(latent.find("plain_query, position_query = query_heads.split([64, 32], dim=-1) ") !=
        latent.npos);
}

TEST_CASE("what has PyTorch's default is not said to its constructors") {
  const auto text = [](RawConfig fields) {
    return pytorch_source(config("transformer_encoder_layer", fields), {.self_check = false});
  };
  CHECK(text({}).find("super().__init__(512, 8, batch_first=True)\n") != std::string::npos);
  const std::string all = text({{"intermediate_size", raw(1024)},
                                {"dropout", raw(0)},
                                {"activation", raw("gelu")},
                                {"norm_eps", raw(1e-6)},
                                {"norm_first", raw(true)},
                                {"bias", raw(false)}});
  CHECK(all.find(R"(
        super().__init__(
            512,
            8,
            dim_feedforward=1024,
            dropout=0,
            activation="gelu",
            layer_norm_eps=1e-6,
            batch_first=True,
            norm_first=True,
            bias=False,
        )
)") != all.npos);
}

TEST_CASE("JSON text escapes quotes and backslashes and prints every digit") {
  JsonWriter json;
  json.begin_array();
  json.string("a\"b\\c");
  json.number(product({INT64_MAX, 2}));
  json.null();
  json.begin_object();
  json.key("k").boolean(true);
  json.key("shape").shape({1, 2});
  json.end_object();
  json.end_array();
  CHECK(json.take() == R"(["a\"b\\c",18446744073709551614,null,{"k":true,"shape":[1,2]}])");
}
