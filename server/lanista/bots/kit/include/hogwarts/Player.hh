// What a player's file includes; the whole API is in rules/hogwarts.md 16.
#ifndef Player_hh
#define Player_hh

#include "Action.hh"
#include "Info.hh"
#include "Random.hh"
#include "Registry.hh"
#include "Structs.hh"

namespace lanista_kit {

/// The number of the player that this program is.
extern int seat;

}  // namespace lanista_kit

/// The base of a player. One object lives for the whole match, and is made when the first round's
/// state is known.
class Player : public Info, public Random_generator, public Action {
 public:
  /// Our own number, from 0.
  int me() const { return lanista_kit::seat; }

  /// Decides the orders of a round.
  virtual void play() = 0;
};

#endif
