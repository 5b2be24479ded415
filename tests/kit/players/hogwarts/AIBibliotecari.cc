// Walks its wizards to the nearest book or to land that isn't its own, runs from Voldemort, attacks
// who is weaker, and has its ghost look for the groups of the spell.
#include "Player.hh"
#include <list>


/**
 * Write the name of your player and save this file
 * with the same name and .cc extension.
 */
#define PLAYER_NAME Bibliotecari

#define dbg(x) if (DEBUG) cerr << #x << " = " << x << endl


struct PLAYER_NAME : public Player {

  /**
   * Factory: returns a new instance of this class.
   * Do not modify this function.
   */
  static Player* factory () {
    return new PLAYER_NAME;
  }

  /**
   * Types and attributes for your player can be defined here.
   */
  static constexpr bool DEBUG = false;
  const vector<Dir> dirs = {Up, Down, Left, Right};
  const int NUM_ROUNDS = 200;
  int BOARD_ROWS, BOARD_COLS;
  vector<vector<int>> taken;      // round in which one of mine chose the cell
  unordered_map<int, Dir> last;   // where each wizard went last

  struct Move {
    double value;
    int id;
    Dir d;
    bool operator< (const Move& other) const { return value < other.value; }
  };

  bool danger (Pos p) {
    Pos v = pos_voldemort();
    return max(abs(p.i - v.i), abs(p.j - v.j)) <= 2;
  }

  bool free_cell (const Pos& p) {
    if (not pos_ok(p) or danger(p)) return false;
    return cell(p).type != Wall;
  }

  // First step of a shortest way to what is wanted, and its length.
  pair<Dir, int> bfs (Pos start, const function<bool(Pos)>& wanted) {
    vector<vector<int>> dist(BOARD_ROWS, vector<int>(BOARD_COLS, -1));
    vector<vector<Dir>> first(BOARD_ROWS, vector<Dir>(BOARD_COLS, Dir(-1)));
    queue<Pos> q;
    q.push(start);
    dist[start.i][start.j] = 0;
    while (not q.empty()) {
      Pos p = q.front();
      q.pop();
      if (dist[p.i][p.j] > 0 and wanted(p)) return {first[p.i][p.j], dist[p.i][p.j]};
      if (dist[p.i][p.j] > 25) break;
      for (auto d : dirs) {
        Pos n = p + d;
        if (free_cell(n) and dist[n.i][n.j] == -1) {
          // Whoever is next to me is in the way.
          if (dist[p.i][p.j] == 0 and cell(n).id != -1) continue;
          dist[n.i][n.j] = dist[p.i][p.j] + 1;
          first[n.i][n.j] = dist[p.i][p.j] == 0 ? d : first[p.i][p.j];
          q.push(n);
        }
      }
    }
    return {Dir(-1), INT_MAX};
  }

  bool solve (const vector<int>& x, vector<int>& sol, int k, vector<int>& sum, vector<int>& members, int goal) {
    if (k == 15) return true;
    for (int g = 0; g < 5; ++g) {
      if (members[g] == 3 or sum[g] + x[k] > goal) continue;
      if (members[g] == 2 and sum[g] + x[k] != goal) continue;
      sol[k] = g;
      sum[g] += x[k];
      ++members[g];
      if (solve(x, sol, k + 1, sum, members, goal)) return true;
      sum[g] -= x[k];
      --members[g];
      if (members[g] == 0) break;   // all empty groups are alike
    }
    return false;
  }

  void ghost_turn () {
    Unit g = unit(ghost(me()));
    if (g.resting_rounds() == 0 and num_rounds() - round() > 50) {
      vector<int> x = spell_ingredients();
      vector<int> sol(15), sum(5, 0), members(5, 0);
      if (solve(x, sol, 0, sum, members, accumulate(x.begin(), x.end(), 0) / 5)) {
        spell(g.id, sol);
        return;
      }
    }
    for (int k : random_permutation(8)) {
      Pos n = g.pos + Dir(k);
      if (pos_ok(n) and cell(n).is_empty() and cell(n).owner != me() and not danger(n)) {
        move(g.id, Dir(k));
        return;
      }
    }
  }

  /**
   * Play method, invoked once per each round.
   */
  virtual void play () {
    if (status(me()) >= 0.9) return;
    if (round() == 0) {
      BOARD_ROWS = board_rows();
      BOARD_COLS = board_cols();
      taken = vector<vector<int>>(BOARD_ROWS, vector<int>(BOARD_COLS, -1));
    }
    priority_queue<Move> orders;
    list<int> idle;
    map<int, int> strength;
    for (int pl = 0; pl < num_players(); ++pl) strength[pl] = magic_strength(pl);

    for (int id : wizards(me())) {
      Unit u = unit(id);
      bool done = false;
      for (auto d : dirs) {
        Pos n = u.pos + d;
        if (not pos_ok(n) or danger(n)) continue;
        // Often -1, and unit(-1) is nobody.
        Unit other = unit(cell(n).id);
        if (other.id == -1 or u.is_in_conversion_process()) continue;
        bool mine = other.player == me();
        if (mine and other.is_in_conversion_process()) orders.push({90, id, d}), done = true;
        else if (not mine and other.type == Wizard and not other.is_in_conversion_process()
                 and strength[me()] >= strength[other.player]) orders.push({80, id, d}), done = true;
        if (done) break;
      }
      if (not done) idle.push_back(id);
    }
    while (not idle.empty()) {
      int id = idle.front();
      idle.pop_front();
      Pos p = unit(id).pos;
      if (danger(p)) {
        for (auto d : dirs) if (free_cell(p + d) and cell(p + d).id == -1) orders.push({100, id, d});
        continue;
      }
      auto [d, steps] = bfs(p, [this] (Pos n) {
        if (taken[n.i][n.j] == round()) return false;
        Cell c = cell(n);
        return c.book or (c.owner != me() and c.id == -1);
      });
      if (steps == INT_MAX) {
        d = dirs[random(0, 3)];
        if (last.count(id)) d = last[id];
      }
      else {
        Pos n = p + d;
        if (steps == 1) taken[n.i][n.j] = round();
      }
      last[id] = d;
      orders.push({10.0 / steps, id, d});
    }
    while (not orders.empty()) {
      auto [value, id, d] = orders.top();
      orders.pop();
      dbg(value);
      move(id, d);
    }
    ghost_turn();
    if (round() == NUM_ROUNDS - 1) cerr << "books: done, score " << score(me()) << ' ' << Pos(1, 2) << ' ' << Up << endl;
  }

};


/**
 * Do not modify the following line.
 */
RegisterPlayer(PLAYER_NAME);
