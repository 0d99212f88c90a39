#include "mersenne_twister.h"

namespace attnscope {

MersenneTwister::MersenneTwister(uint32_t seed) {
  words_[0] = seed;
  for (uint32_t i = 1; i < kWords; ++i) {
    const uint32_t last = words_[i - 1];
    words_[i] = 1812433253u * (last ^ last >> 30) + i;
  }
}

void MersenneTwister::refill() {
  constexpr size_t kAhead = 397;
  for (size_t i = 0; i < kWords; ++i) {
    const uint32_t mixed = (words_[i] & 0x80000000u) | (words_[(i + 1) % kWords] & 0x7fffffffu);
    const uint32_t twisted = mixed >> 1 ^ (mixed & 1 ? 0x9908b0dfu : 0u);
    words_[i] = words_[(i + kAhead) % kWords] ^ twisted;
  }
  used_ = 0;
}

uint32_t MersenneTwister::operator()() {
  if (used_ == kWords) refill();
  uint32_t y = words_[used_++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

void MersenneTwister::restore(const std::array<uint32_t, kWords>& words, size_t used) {
  words_ = words;
  used_ = used;
}

}  // namespace attnscope
