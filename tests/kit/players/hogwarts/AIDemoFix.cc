// The player DemoFix of the original matches in tests/traces/hogwarts, order by order.

#include "Player.hh"

#define PLAYER_NAME DemoFix
struct PLAYER_NAME : public Player {
  static Player* factory () { return new PLAYER_NAME; }
  const vector<Dir> dirs = {Up, Down, Left, Right};
  void moves () {
    if (round() % 2 == 0) {
      for (int id : wizards(me())) {
        Dir d = dirs[random(0, 3)];
        Pos p = unit(id).pos + d;
        if (pos_ok(p) and cell(p).type != Wall) move(id, d);
      }
      return;
    }
    if (random(0, 3) <= 1) {
      for (int id : wizards(me())) {
        Pos p = unit(id).pos + Left;
        if (pos_ok(p) and cell(p).type != Wall) move(id, Left);
      }
      return;
    }
    for (int id : wizards(me()))
      for (Dir d : dirs) {
        Pos p = unit(id).pos + d;
        if (pos_ok(p) and cell(p).type != Wall and cell(p).id != -1) {
          Unit u = unit(cell(p).id);
          if (u.player != me() and u.type == Wizard) { move(id, d); break; }
        }
      }
  }
  virtual void play () {
    if (status(me()) >= 0.9) return;
    moves();
    spell(ghost(me()), {0, 2, 4, 1, 3, 2, 0, 1, 4, 1, 4, 0, 3, 3, 2});
  }
};
RegisterPlayer(PLAYER_NAME);
