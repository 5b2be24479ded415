// The player Demo of the original matches in tests/traces/crematoria, in its first 40 rounds.

#include "Player.hh"

#define PLAYER_NAME Demo
struct PLAYER_NAME : public Player {
  static Player* factory () { return new PLAYER_NAME; }
  map<int, bool> wanders;

  Dir furyan (int id) {
    if (random(0, 2) == 0) return Dir(random(0, 9));
    if (cell(unit(id).pos).type == Elevator) return Up;
    return Left;
  }

  Dir pioneer (int id) {
    if (not wanders.count(id)) wanders[id] = random(0, 1) == 0;
    if (wanders[id]) return Dir(random(0, 7));
    return Dir(vector<Dir>{Bottom, Right, Top, Left}[round() % 4]);
  }

  virtual void play () {
    vector<int> f = furyans(me());
    for (int i : random_permutation(f.size())) command(f[i], furyan(f[i]));
    for (int id : pioneers(me())) command(id, pioneer(id));
  }
};
RegisterPlayer(PLAYER_NAME);
