#pragma once

// What nn.TransformerEncoderLayer and nn.TransformerDecoderLayer share.

#include "packed_multihead.h"
#include "transformer.h"

namespace attnscope {

/// The constructor's arguments, from the fields of both layers.
std::string torch_layer_arguments(const Config& config);

/// What stands around each part of the layer, attention or feed-forward network:
/// x + dropout(part(norm(x))), or norm(x + dropout(part(x))).
class TorchSublayer {
 public:
  TorchSublayer(const Config& config, NormModule norm, DropoutModule dropout, std::string_view name)
      : norm_first_(config.flag("norm_first")),
        norm_(std::move(norm)),
        dropout_(dropout),
        name_(name) {}

  /// What the part is given: norm(x), or x.
  TensorId before(Graph& graph, TensorId x) const;
  /// The result, called `output`, from x and from what the part has made.
  TensorId after(Graph& graph, TensorId x, TensorId made, std::string_view output) const;

 private:
  bool norm_first_;
  NormModule norm_;
  DropoutModule dropout_;
  std::string name_;
};

/// linear1, dropout and linear2, which the base class constructs.
FeedForward declare_torch_feed_forward(Parameters& parameters, const Config& config);

/// All of nn.TransformerEncoderLayer, from which the class of the parameters then inherits.
struct TorchEncoderLayer {
  PackedProjections attention;
  FeedForward feed_forward;
  TorchSublayer attend, feed;
};
TorchEncoderLayer declare_torch_encoder_layer(Parameters& parameters, const Config& config);

/// x (B, T, E) -> (B, T, E), called `output`. `key_mask` (B, T) hides positions; kNoTensor: the
/// attention has the optional input "mask".
Attended add_torch_encoder_layer(Graph& graph, const TorchEncoderLayer& layer, const Config& config,
                                 TensorId x, TensorId key_mask, std::string_view output);

/// Fields of both.
std::vector<Field> torch_layer_fields(std::vector<Field> sizes);

}  // namespace attnscope
