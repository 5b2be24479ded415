// A player's own random numbers, from the seed that the arena tells it.
#ifndef Random_hh
#define Random_hh

#include "../kit/generator.hh"
#include "Utils.hh"

/// What makes `random` and `random_permutation` of a player (rules/hogwarts.md 3.4).
class Random_generator {
 public:
  /// A number from l to u, all alike; l if l > u or if there are more than 10^6 of them.
  int random(int l, int u) { return lanista_generator.draw(l, u); }

  /// The numbers from 0 to n-1 in random order; none for n < 0 or n > 10^6. It takes n draws.
  vector<int> random_permutation(int n) { return lanista_generator.permutation(n, n); }

 private:
  lanista_kit::Generator lanista_generator;
};

#endif
