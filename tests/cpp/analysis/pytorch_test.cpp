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
  CHECK(pytorch_source(one, {.self_check = false}) == R"(import torch
from torch import nn


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

TEST_CASE("the self-check expects the figures of the estimate, and no training figure of int8") {
  const std::string text = pytorch_source(config("additive_scorer"), {});
  CHECK(text.find("\"parameters\": 98561,") != text.npos);
  CHECK(text.find("\"saved_for_backward\": 14696448,") != text.npos);
  const std::string int8 = pytorch_source(config("additive_scorer", {{"dtype", raw("int8")}}), {});
  CHECK(int8.find("\"saved_for_backward\": 14696448") == int8.npos);
  CHECK(int8.find("DTYPE = torch.float32") != int8.npos);
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
