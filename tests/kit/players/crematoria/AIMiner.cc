// Pioneers go to the nearest cave that isn't its own, those near an elevator up for gems; furyans
// hunt. Nobody goes near hellhounds or into the sun.
#include "Player.hh"
#include <limits>

#define PLAYER_NAME Miner

struct PLAYER_NAME : public Player {

  static Player* factory () {
    return new PLAYER_NAME;
  }

  typedef vector<vector<bool>> Matrix;
  const int ROWS = 40, COLS = 80, INF = numeric_limits<int>::max();
  map<int, Pos> target;
  set<Pos> reserved;
  Matrix hounds;   // cells that a hellhound could reach with its teeth

  bool ok (Pos p) {
    if (not pos_ok(p)) return false;
    Cell c = cell(p);
    if (c.type == Rock or daylight(p)) return false;
    return p.k == 1 or not hounds[p.i][p.j];
  }

  // Will the sun be there after this round?
  bool burns_soon (Pos p) {
    if (p.k == 0) return false;
    int left = 2 * round() % COLS;
    return p.j == left or p.j == (left + 1) % COLS;
  }

  Dir search (int id, bool outside_too, const vector<UnitType>& prey) {
    Pos start = unit(id).pos;
    map<Pos, Dir> first;
    queue<pair<Pos, int>> q;
    q.push(make_pair(start, 0));
    first[start] = None;
    while (not q.empty()) {
      Pos p = q.front().first;
      int d = q.front().second;
      q.pop();
      if (d > 0) {
        Cell c = cell(p);
        Unit u = unit(c.id);
        if (not prey.empty()) {
          if (c.id != -1 and u.player != me() and find(prey.begin(), prey.end(), u.type) != prey.end()) return first[p];
        }
        else if (c.id == -1 and reserved.find(p) == reserved.end()) {
          if (c.gem or (c.type == Cave and c.owner != me())) {
            reserved.insert(p);
            target[id] = p;
            return first[p];
          }
        }
      }
      if (d == 14) continue;
      for (int k = 0; k != DirSize - 1; ++k) {
        Dir dir = Dir(k);
        if ((dir == Up or dir == Down) and (cell(p).type != Elevator or not outside_too)) continue;
        Pos n = p + dir;
        if (not ok(n) or burns_soon(n) or first.count(n)) continue;
        // Others are in the way unless they are meant.
        if (d == 0 and cell(n).id != -1 and (prey.empty() or unit(cell(n).id).player == me())) continue;
        first[n] = d == 0 ? dir : first[p];
        q.push({n, d + 1});
      }
    }
    return Dir(random(0, 7));
  }

  virtual void play () {
    if (status(me()) >= 0.9) return;
    reserved.clear();
    hounds = Matrix(ROWS, vector<bool>(COLS, false));
    for (int id : hellhounds()) {
      Pos h = unit(id).pos;
      for (int i = -2; i <= 2; ++i)
        for (int j = -2; j <= 2; ++j) {
          Pos p = h + Pos(i, j, 0);
          if (pos_ok(p)) hounds[p.i][p.j] = true;
        }
    }
    multimap<int, int> by_health;
    for (int id : furyans(me())) by_health.insert(make_pair(-unit(id).health, id));
    stack<int> weak;
    for (auto it = by_health.begin(); it != by_health.end(); ++it) {
      if (it->first > -30) weak.push(it->second);
      else command(it->second, search(it->second, false, {Pioneer, Furyan}));
    }
    while (not weak.empty()) {
      command(weak.top(), Dir(random(0, 7)));
      weak.pop();
    }
    vector<int> mine = pioneers(me());
    vector<int> order = random_permutation(mine.size());
    for (int k : order) {
      int id = mine[k];
      command(id, search(id, id % 3 == 0, {}));
      // Again, by habit.
      command(id, None);
    }
    if (round() == 60) {
      cerr << "half of it: " << nb_cells(me()) << " cells, " << nb_gems(me()) << " gems, first at "
           << unit(mine.empty() ? -1 : mine[0]).pos << endl;
    }
  }

};

RegisterPlayer(PLAYER_NAME);
