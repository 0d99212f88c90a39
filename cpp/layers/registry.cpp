// The list of layers. A new layer is one file beside this one, and its line here.

#include "layer.h"

namespace attnscope {

extern const Layer kLinearScorer;
extern const Layer kAdditiveScorer;
extern const Layer kScaledDotProductAttention;
extern const Layer kMultiheadAttention;

std::span<const Layer* const> layers() {
  static constexpr const Layer* kLayers[] = {
      &kLinearScorer,
      &kAdditiveScorer,
      &kScaledDotProductAttention,
      &kMultiheadAttention,
  };
  return kLayers;
}

}  // namespace attnscope
