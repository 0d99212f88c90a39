#pragma once

#include <array>
#include <cstdint>

namespace attnscope {

/// The 32-bit Mersenne Twister of Matsumoto and Nishimura 1998, with the numbers of std::mt19937,
/// whose state can only be written down as text through streams: here it is words, so that a run
/// that is saved goes on with the same numbers.
class MersenneTwister {
 public:
  static constexpr size_t kWords = 624;

  explicit MersenneTwister(uint32_t seed);

  uint32_t operator()();

  /// The words that numbers are made of, and how many of them have been used.
  const std::array<uint32_t, kWords>& words() const { return words_; }
  size_t used() const { return used_; }
  void restore(const std::array<uint32_t, kWords>& words, size_t used);

 private:
  void refill();

  std::array<uint32_t, kWords> words_;
  size_t used_ = kWords;
};

}  // namespace attnscope
