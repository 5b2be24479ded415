// Calls all of the API and says on cerr whatever isn't as its table has it; and shows the state in
// the words of the wire, so that the test can hold it against what the arena told. Its pioneers
// stray. TROUBLE in the environment names a way to fail.
#include "Player.hh"
#include "Info.hh"

#define PLAYER_NAME EveryCall

#define sz(x) int((x).size())
#define INFINIT 1e9
#define iLOW -1
#define CHECK(condition) if (!(condition)) differs(__LINE__, #condition)

struct PLAYER_NAME : public Player {

  static Player* factory () {
    return new PLAYER_NAME;
  }

  int rounds = 0;
  string trouble = getenv("TROUBLE") ? getenv("TROUBLE") : "";

  void differs (int line, const char* condition) {
    cerr << "difference: line " << line << ": " << condition << endl;
  }

  template <typename T> string shown (const T& x) {
    ostringstream out;
    out << x;
    return out.str();
  }

  void types () {
    CHECK(Bottom == 0 and BR == 1 and Right == 2 and RT == 3 and Top == 4 and TL == 5 and Left == 6 and LB == 7);
    CHECK(Up == 8 and Down == 9 and None == 10 and DirSize == 11);
    const int di[] = {1, 1, 0, -1, -1, -1, 0, 1, 0, 0, 0}, dj[] = {0, 1, 1, 1, 0, -1, -1, -1, 0, 0, 0},
              dk[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 0};
    for (int d = 0; d != DirSize; ++d) {
      Pos p(7, 9, 1), q = p;
      q += Dir(d);
      CHECK(dir_ok(Dir(d)) and p + Dir(d) == q and q == Pos(7 + di[d], 9 + dj[d], 1 + dk[d]));
    }
    for (int d : {-1, 11, 1000000000, INT_MIN}) CHECK(not dir_ok(Dir(d)) and Pos(1, 2, 0) + Dir(d) == Pos(1, 2, 0));
    CHECK(shown(LB) == "7");
    CHECK(Pos(0, 79, 0) + Right == Pos(0, 0, 0) and Pos(0, 0, 1) + TL == Pos(-1, 79, 1) and Pos(39, 5, 1) + Up == Pos(39, 5, 2));
    CHECK(Pos(1, 50, 0) + Pos(2, 60, 1) == Pos(3, 30, 1) and Pos(1, 1, 0) + Pos(0, -81, 0) == Pos(1, 0, 0));
    Pos zero;
    CHECK(zero == Pos(0, 0, 0) and zero != Pos(0, 0, 1) and (zero += Pos(1, 2, 0)) == Pos(1, 2, 0));
    CHECK(Pos(0, 9, 9) < Pos(1, 0, 0) and Pos(1, 1, 9) < Pos(1, 2, 0) and Pos(1, 1, 0) < Pos(1, 1, 1) and not (zero < zero));
    CHECK(shown(Pos(3, 14, 1)) == "(3, 14, 1)");
    CHECK(Outside == 0 and Cave == 1 and Rock == 2 and Elevator == 3 and CellTypeSize == 4);
    CHECK(Pioneer == 0 and Furyan == 1 and Necromonger == 2 and Hellhound == 3 and UnitTypeSize == 4);
    CHECK(ut2char(Pioneer) == 'p' and ut2char(Furyan) == 'f' and ut2char(Necromonger) == 'n' and ut2char(Hellhound) == 'h');
    CHECK(char2ut('p') == Pioneer and char2ut('f') == Furyan and char2ut('n') == Necromonger and char2ut('h') == Hellhound);
    Cell c;
    CHECK(c.type == Cave and c.owner == -1 and c.id == -1 and not c.gem);
    Unit u;
    CHECK(u.type == Pioneer and u.id == -1 and u.player == -1 and u.health == 0 and u.turns == -1 and u.pos == Pos(-1, -1, -1));
    u.type = Furyan;
    u.player = 0;
    u.health = 100;
    u.pos = Pos(11, 43, 0);
    CHECK(shown(u) == "f 0 100 -1 11 43 0");
    Movement m(3, Top);
    CHECK(m.id == 3 and m.dir == Top);
    CHECK(int_to_string(-7) == "-7" and string_to_int("42") == 42);
    CHECK(char2cell('R').type == Rock and char2cell('E').type == Elevator and char2cell('O').type == Outside);
    CHECK(char2cell('G').type == Outside and char2cell('G').gem and char2cell('C').type == Cave);
    CHECK(char2cell('2').type == Cave and char2cell('2').owner == 2 and char2cell('C').owner == -1);
    multimap<double, int> order = {{INFINIT, iLOW}};
    CHECK(order.begin()->second == -1);
  }

  void settings () {
    CHECK(version() == "Crematoria 1.2");
    CHECK(nb_players() == 4 and nb_rounds() == 60 and nb_furyans() == 5 and nb_pioneers() == 15);
    CHECK(max_nb_necromongers() == 10 and nb_hellhounds() == 3 and nb_elevators() == 19 and gem_value() == 31);
    CHECK(turns_to_land() == 3 and rows() == 40 and cols() == 80);
    CHECK(furyans_health() == 100 and pioneers_health() == 50 and necromongers_health() == 75);
    CHECK(min_damage_furyans() == 25 and max_damage_furyans() == 50);
    CHECK(min_damage_necromongers() == 20 and max_damage_necromongers() == 40);
    CHECK(inv_prob_gem() == 4 and inv_prob_necromonger() == 2 and health_recovery() == 5);
    CHECK(player_ok(0) and player_ok(3) and not player_ok(-1) and not player_ok(4));
    CHECK(pos_ok(0, 0, 0) and pos_ok(Pos(39, 79, 1)) and not pos_ok(40, 0, 0) and not pos_ok(0, 80, 0));
    CHECK(not pos_ok(-1, 0, 0) and not pos_ok(Pos(0, -1, 0)) and not pos_ok(0, 0, -1) and not pos_ok(0, 0, 2));
  }

  void out_of_range () {
    for (int id : {-1, -2, 93, INT_MAX, INT_MIN}) CHECK(unit(id).id == -1 and unit(id).pos == Pos(-1, -1, -1));
    for (Pos p : {Pos(-1, 0, 0), Pos(0, -1, 0), Pos(40, 0, 0), Pos(0, 80, 1), Pos(0, 0, 2), Pos(0, 0, -1), Pos(INT_MAX, INT_MIN, INT_MAX)}) {
      Cell c = cell(p), d = cell(p.i, p.j, p.k);
      CHECK(c.type == Cave and c.owner == -1 and c.id == -1 and not c.gem and d.id == -1 and not daylight(p));
    }
    for (int pl : {-1, 4, INT_MAX, INT_MIN}) {
      CHECK(pioneers(pl).empty() and furyans(pl).empty() and nb_cells(pl) == -1 and nb_gems(pl) == -1 and status(pl) == -1);
    }
  }

  void state () {
    CHECK(round() == rounds++ and me() >= 0 and me() < 4 and nb_units() == 93);
    update_vectors_by_player();
    vector<int> living = necromongers();
    for (int pl = 0; pl < 4; ++pl) {
      vector<int> p = pioneers(pl), f = furyans(pl);
      CHECK(is_sorted(p.begin(), p.end()) and is_sorted(f.begin(), f.end()));
      for (int id : p) CHECK(unit(id).type == Pioneer and unit(id).player == pl);
      for (int id : f) CHECK(unit(id).type == Furyan and unit(id).player == pl);
      living.insert(living.end(), p.begin(), p.end());
      living.insert(living.end(), f.begin(), f.end());
      CHECK(status(pl) >= 0 and status(pl) < 0.9 and nb_gems(pl) >= 0);
    }
    CHECK(hellhounds() == vector<int>({90, 91, 92}));
    for (int id : hellhounds()) CHECK(unit(id).type == Hellhound and unit(id).player == -1 and unit(id).health == -1);
    for (int id : necromongers()) CHECK(unit(id).type == Necromonger and unit(id).player == -1 and unit(id).health > 0);
    CHECK(sz(living) == 80 + sz(necromongers()));
    for (int id = 0; id < nb_units(); ++id) {
      Unit u = unit(id);
      CHECK(u.id == id or (u.id == -1 and id >= 80 and id < 90 and u.health == 0));
      if (u.id == id) CHECK((cell(u.pos).id == id) == (u.turns <= 0));
    }
    for (int j = 0; j < 80; ++j) CHECK(daylight(Pos(3, j, 1)) == ((j - 2 * round() + 240) % 80 >= 40) and not daylight(Pos(3, j, 0)));
  }

  // The state as the wire has it (PROTOCOL.md 5).
  void show () {
    vector<int> owned(4, 0);
    for (int i = 0; i < rows(); ++i) {
      cerr << "own " << i << " ";
      for (int j = 0; j < cols(); ++j) {
        Cell c = cell(i, j, 0);
        if (c.owner != -1) ++owned[c.owner];
        cerr << (c.type == Rock ? 'R' : c.type == Elevator ? 'E' : c.owner == -1 ? 'C' : char('0' + c.owner));
        CHECK((c.type == Elevator) == (cell(Pos(i, j, 1)).type == Elevator) and (c.type == Elevator or cell(i, j, 1).type == Outside));
      }
      cerr << endl;
    }
    for (int i = 0; i < rows(); ++i)
      for (int j = 0; j < cols(); ++j)
        if (cell(i, j, 1).gem) cerr << "gem " << i << " " << j << endl;
    for (int id = 0; id < nb_units(); ++id) {
      Unit u = unit(id);
      if (u.id != -1)
        cerr << "unit " << id << " " << u << endl;
    }
    cerr << "cells";
    for (int pl = 0; pl < 4; ++pl) {
      CHECK(nb_cells(pl) == owned[pl]);
      cerr << " " << nb_cells(pl);
    }
    cerr << endl << "gems";
    for (int pl = 0; pl < 4; ++pl) cerr << " " << nb_gems(pl);
    cerr << endl << "status";
    for (int pl = 0; pl < 4; ++pl) cerr << " " << status(pl);
    cerr << endl;
  }

  void draws () {
    cerr << "draws";
    for (int k = 0; k < 5; ++k) cerr << " " << random(0, 99);
    for (int x : random_permutation(5)) cerr << " " << x;
    cerr << " " << random(1, 1000000) << " " << random(1, 1000001) << " " << random(3, 2) << " " << random(-5, 5)
         << " " << random(INT_MIN, INT_MAX) << endl;
    CHECK(random_permutation(-1).empty() and random_permutation(1000001).empty() and random_permutation(0).empty());
  }

  virtual void play () {
    if (trouble == "asks") {
      int found = 0;
      for (int k = 0; k < 300000; ++k) found += unit(-1).id + cell(-1, k, 0).id + cell(Pos(40, k, 1)).id;
      CHECK(found == -900000);
      return;
    }
    if (round() == 0) {
      types();
      if (trouble == "") settings();
      draws();
    }
    if (trouble == "1001" and round() == 1)
      for (int k = 0; k < 1001; ++k) command(k, None);
    out_of_range();
    state();
    if (round() % 10 == 9) show();
    // Nonsense, repeats, and what lets a furyan be commanded after all: its first valid order counts.
    if (furyans(me()).empty()) return;
    int f = furyans(me())[0];
    Pos before = unit(f).pos;
    command(f, Dir(11));
    command(Movement(f, Dir(round() % 8)));
    for (int d = 0; d != DirSize; ++d) command(f, Dir(d));
    command(-1, Top);
    command(INT_MAX, Dir(INT_MIN));
    command(90, Top);
    for (int id : pioneers(me())) command(id, Dir(random(0, 9)));
    CHECK(unit(f).pos == before and cell(before).id == f);
    if (round() == 2) {
      // What a text says is there until the next round.
      istringstream grid(string(80, 'C') + "\n" + string(80, 'R'));
      read_grid(grid);
      CHECK(cell(0, 5, 0).type == Cave and cell(1, 5, 0).type == Rock);
    }
  }

};

/**
 * Do not modify the following line.
 */
RegisterPlayer(PLAYER_NAME);
