#include "cost.h"

namespace attnscope {

Cost::Cost(std::initializer_list<Term> terms) {
  for (const auto& [kind, count] : terms) at(kind) = sum(at(kind), count);
}

Cost Cost::products(Count macs, Count visible) {
  return {{Operation::kMac, macs}, {Operation::kVisibleMac, visible}};
}

Count Cost::by(const Convention& weights) const {
  Count total = 0;
  for (size_t i = 0; i < kOperations; ++i) {  // most are 0
    if (weights[i] == 0 || counts_[i] == 0) continue;
    total = sum(total, product({weights[i], counts_[i]}));
  }
  return total;
}

Cost& Cost::operator+=(const Cost& other) {
  for (size_t i = 0; i < kOperations; ++i) {
    if (other.counts_[i] != 0) counts_[i] = sum(counts_[i], other.counts_[i]);
  }
  return *this;
}

Cost Cost::times(int64_t times) const {
  Cost product_of = *this;
  for (Count& count : product_of.counts_) {
    if (count != 0) count = product({times, count});
  }
  return product_of;
}

}  // namespace attnscope
