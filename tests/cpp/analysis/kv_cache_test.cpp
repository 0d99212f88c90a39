// What a KV cache takes, against figures that can be worked out by hand.

#include "../../../cpp/analysis/memory.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

KvCache cache_of(const Config& config, Dtype dtype) { return kv_cache(graph_of(config), dtype); }

bool equal(Count actual, int64_t expected) { return actual == Count{expected}; }

Config decoder(RawConfig fields) {
  for (const auto& [name, value] : RawConfig{{"hidden_size", raw(16)},
                                             {"num_heads", raw(4)},
                                             {"num_kv_heads", raw(2)},
                                             {"head_dim", raw(8)},
                                             {"num_layers", raw(6)},
                                             {"seq_len", raw(1)},
                                             {"past_len", raw(99)}}) {
    fields.emplace_back(name, value);
  }
  return config("decoder", fields);
}

}  // namespace

TEST_CASE("Llama 3 8B keeps exactly 1 GiB of 8192 positions in 16 bits") {
  for (const auto& [past_len, seq_len] : {std::pair{8191, 1}, {0, 8192}, {4096, 4096}}) {
    CAPTURE(past_len);
    const Config llama = config("decoder", {{"vocab_size", raw(128256)},
                                            {"hidden_size", raw(4096)},
                                            {"num_layers", raw(32)},
                                            {"num_heads", raw(32)},
                                            {"num_kv_heads", raw(8)},
                                            {"intermediate_size", raw(14336)},
                                            {"past_len", raw(past_len)},
                                            {"seq_len", raw(seq_len)}});
    const KvCache cache = cache_of(llama, Dtype::kBfloat16);
    CHECK(equal(cache.bytes_per_token, 32 * 2 * 8 * 128 * 2));
    CHECK(equal(cache.bytes_per_sequence, int64_t{1} << 30));
    CHECK(equal(cache.bytes, int64_t{1} << 30));
    CHECK(equal(cache_of(llama, Dtype::kFloat32).bytes, int64_t{2} << 30));
    CHECK(equal(cache_of(llama, Dtype::kInt8).bytes, int64_t{1} << 29));
  }
}

TEST_CASE("a batch keeps as many caches as it has sequences") {
  const KvCache cache = cache_of(decoder({{"batch_size", raw(3)}}), Dtype::kFloat16);
  CHECK(equal(cache.bytes_per_token, 6 * 2 * 2 * 8 * 2));
  CHECK(equal(cache.bytes_per_sequence, 100 * 6 * 2 * 2 * 8 * 2));
  CHECK(equal(cache.bytes, 3 * 100 * 6 * 2 * 2 * 8 * 2));
}

TEST_CASE("a window keeps its own length, and layers without it everything") {
  const int64_t layer_token = 2 * 2 * 8 * 2;
  const auto bytes = [&](RawConfig fields) { return cache_of(decoder(fields), Dtype::kFloat16); };
  CHECK(equal(bytes({{"window", raw(10)}}).bytes, 6 * 10 * layer_token));
  CHECK(equal(bytes({{"window", raw(100)}}).bytes, 6 * 100 * layer_token));
  CHECK(equal(bytes({{"window", raw(500)}}).bytes, 6 * 100 * layer_token));
  // Of six layers the third and the sixth see everything.
  const KvCache mixed = bytes({{"window", raw(10)}, {"full_every", raw(3)}});
  CHECK(equal(mixed.bytes, (4 * 10 + 2 * 100) * layer_token));
  CHECK(equal(mixed.bytes_per_token, 6 * layer_token));
}

TEST_CASE("latent attention keeps a latent and one rotated key") {
  const Config deepseek = config("latent_attention", {{"hidden_size", raw(7168)},
                                                      {"num_heads", raw(128)},
                                                      {"q_lora_rank", raw(1536)},
                                                      {"kv_lora_rank", raw(512)},
                                                      {"qk_nope_head_dim", raw(128)},
                                                      {"qk_rope_head_dim", raw(64)},
                                                      {"v_head_dim", raw(128)},
                                                      {"seq_len", raw(4096)}});
  const KvCache cache = cache_of(deepseek, Dtype::kBfloat16);
  CHECK(equal(cache.bytes_per_token, (512 + 64) * 2));
  CHECK(equal(cache.bytes_per_sequence, 4096 * (512 + 64) * 2));
}
