// The random numbers of the original programs (rules/hogwarts.md 3.4, rules/crematoria.md 9.2).
#ifndef LANISTA_KIT_GENERATOR_HH
#define LANISTA_KIT_GENERATOR_HH

#include <cstdint>
#include <utility>
#include <vector>

namespace lanista_kit {

/// The `seed` of this seat's own choices (PROTOCOL.md 3).
std::int64_t seed();

/// The generator; a player is one, and a copy of a player goes on from where the copy was made.
class Generator {
 public:
  /// Starts from the arena's `seed` line.
  Generator() : x(static_cast<std::uint32_t>(seed() & 0x7fffffff)) {}

  /// A number from l to u, all alike; l if that is none or more than 10^6 numbers.
  int draw(int l, int u) {
    const std::int64_t count = std::int64_t{u} - l + 1;
    if (count < 1 || count > most) return l;
    step();
    step();
    // Less than 2^51: exact, as in the original's doubles.
    return l + static_cast<int>(count * x >> 31);
  }

  /// The numbers from 0 to n-1 in random order, by so many exchanges; none if n is out of range.
  std::vector<int> permutation(int n, int exchanges) {
    if (n < 0 || n > most) return {};
    std::vector<int> numbers(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = i;
    for (int i = 0; i < exchanges; ++i)
      std::swap(numbers[static_cast<std::size_t>(i)],
                numbers[static_cast<std::size_t>(draw(i, n - 1))]);
    return numbers;
  }

 private:
  static constexpr int most = 1000000;
  std::uint32_t x;  // 31 bits

  void step() { x = (843314861u * x + 453816693u) & 0x7fffffff; }
};

}  // namespace lanista_kit

#endif
