// The list of layers. A new layer is one file beside this one, and its line here.

#include "layer.h"

namespace attnscope {

extern const Layer kLinearScorer, kAdditiveScorer, kTimestepAttention;
extern const Layer kDense, kMeanPooling, kMaxPooling;
extern const Layer kBahdanauAttention, kLuongAttention, kScaledDotProductAttention, kAttentionLayer,
    kSelfAttention, kMultiheadAttention, kGroupedQueryAttention, kLatentAttention;
extern const Layer kAttentionClassifier, kTransformerEncoderLayer, kTransformerDecoderLayer,
    kEncoder, kDecoder;

std::span<const Layer* const> layers() {
  static constexpr const Layer* kLayers[] = {
      &kLinearScorer,
      &kAdditiveScorer,
      &kTimestepAttention,
      &kMeanPooling,
      &kMaxPooling,
      &kDense,
      &kBahdanauAttention,
      &kLuongAttention,
      &kScaledDotProductAttention,
      &kAttentionLayer,
      &kSelfAttention,
      &kMultiheadAttention,
      &kGroupedQueryAttention,
      &kLatentAttention,
      &kAttentionClassifier,
      &kTransformerEncoderLayer,
      &kTransformerDecoderLayer,
      &kEncoder,
      &kDecoder,
  };
  return kLayers;
}

}  // namespace attnscope
