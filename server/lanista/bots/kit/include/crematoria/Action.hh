// The orders of a round (rules/crematoria.md 5).
#ifndef Action_hh
#define Action_hh

#include "Structs.hh"

namespace lanista_kit {

/// Adds an order to this round's answer; on the 1001st order of a round, `play` ends.
void order(int id, int direction);

}  // namespace lanista_kit

/// What a player can do. Any number of orders up to 1000 a round is harmless, whatever they say: of
/// each unit the first valid one counts. The 1001st puts the player out.
class Action {
 public:
  /// Has a unit go a step, or attack what is there.
  void command(int id, Dir dir) { lanista_kit::order(id, dir); }
  void command(Movement m) { lanista_kit::order(m.id, m.dir); }
};

#endif
