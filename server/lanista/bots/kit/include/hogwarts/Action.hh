// The orders of a round (rules/hogwarts.md 4).
#ifndef Action_hh
#define Action_hh

#include "Structs.hh"

namespace lanista_kit {

/// Adds a move to this round's answer; on the 1001st order of a round, `play` ends.
void order_move(int id, int direction);

/// Adds a spell in the same way.
void order_spell(int id, const int* groups, int count);

}  // namespace lanista_kit

/// What a player can do. Any number of orders up to 1000 a round is harmless, whatever they say: of
/// each unit the first one counts. The 1001st puts the player out.
class Action {
 public:
  /// Has a unit go a step.
  void move(int id, Dir dir) { lanista_kit::order_move(id, dir); }

  /// Has a ghost cast a spell: of each ingredient, its group from 0 to 4.
  void spell(int id, const vector<int>& sol) {
    lanista_kit::order_spell(id, sol.data(), static_cast<int>(sol.size()));
  }
};

#endif
