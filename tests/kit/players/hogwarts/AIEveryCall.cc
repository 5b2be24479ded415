// Calls all of the API and says on cerr whatever isn't as its table has it; and shows the state in
// the words of the wire, so that the test can hold it against what the arena told. Not one of its
// orders is of use. TROUBLE in the environment names a way to fail.
#include "Player.hh"
#include "Structs.hh"

#define PLAYER_NAME EveryCall

#define SIZE 60
#define sz(x) int((x).size())
#define CHECK(condition) if (!(condition)) differs(__LINE__, #condition)

struct PLAYER_NAME : public Player {

  static Player* factory () {
    return new PLAYER_NAME;
  }

  // Names of the kit's and of other players', to be hidden.
  const int NUM_ROUNDS = 80, BOARD_ROWS = 60, BOARD_COLS = 60;
  struct Move { int id; Dir d; };
  unordered_map<int, int> seen;
  function<int(int)> twice = [](int x) { return 2 * x; };
  optional<Pos> goal;
  int rounds = 0;
  string trouble = getenv("TROUBLE") ? getenv("TROUBLE") : "";

  PLAYER_NAME () {
    // The state is there already.
    cerr << "made in round " << round() << " for player " << me() << endl;
  }

  bool is_empty (Pos p) { return pos_ok(p) and cell(p).is_empty(); }
  bool pos_ok (const Pos& p) { return p.i >= 0 and p.i < BOARD_ROWS and p.j >= 0 and p.j < BOARD_COLS; }
  void move (const Move& m) { Action::move(m.id, m.d); }

  void differs (int line, const char* condition) {
    cerr << "difference: line " << line << ": " << condition << endl;
  }

  template <typename T> string shown (const T& x) {
    ostringstream out;
    out << x;
    return out.str();
  }

  void types () {
    CHECK(Down == 0 and DR == 1 and Right == 2 and RU == 3 and Up == 4 and UL == 5 and Left == 6 and LD == 7);
    const int di[] = {1, 1, 0, -1, -1, -1, 0, 1}, dj[] = {0, 1, 1, 1, 0, -1, -1, -1};
    const string letters = "dcreuqlz", names[] = {"Down", "DR", "Right", "RU", "Up", "UL", "Left", "LD"};
    for (int k = 0; k < 8; ++k) {
      Dir d = Dir(k);
      Pos p = {7, 9}, q = p;
      q += d;
      CHECK(dir_ok(d) and p + d == q and q == Pos(7 + di[k], 9 + dj[k]));
      CHECK(Dir2char(d) == letters[k] and char2Dir(letters[k]) == d and shown(d) == names[k]);
    }
    for (int k : {-1, 8, 1000000000, INT_MIN}) {
      CHECK(not dir_ok(Dir(k)) and Pos(3, 4) + Dir(k) == Pos(3, 4) and shown(Dir(k)) == to_string(k));
    }
    CHECK(char2Dir('x') == Dir(-1));
    CHECK((Left + 1) % 8 == LD and static_cast<Dir>((Left + 2) % 8) == Down);
    Pos zero;
    CHECK(zero == Pos(0, 0) and zero != Pos(0, 1) and Pos(1, 9) < Pos(2, 0) and Pos(2, 0) < Pos(2, 1));
    CHECK(not (Pos(2, 1) < Pos(2, 1)) and Pos(1, 2) + Pos(3, 5) == Pos(4, 7) and (zero += Pos(1, 1)) == Pos(1, 1));
    CHECK(shown(Pos(3, 14)) == "(3, 14)" and shown(Pos(-1, 0)) == "(-1, 0)");
    CHECK(Corridor == 0 and Wall == 1 and shown(Corridor) == "Corridor" and shown(Wall) == "Wall");
    CHECK(Wizard == 0 and Ghost == 1 and shown(Wizard) == "Wizard" and shown(Ghost) == "Ghost");
    CHECK(UnitType2char(Ghost) == 'g' and UnitType2char(Wizard) == 'w');
    CHECK(char2UnitType('g') == Ghost and char2UnitType('w') == Wizard);
    CHECK(::Move == 0 and Spell == 1 and CommandType2char(::Move) == 'm' and CommandType2char(Spell) == 's');
    CHECK(char2CommandType('m') == CommandType(0) and char2CommandType('s') == Spell);
    Command c = {1, Spell, Up, {1, 2, 3}};
    CHECK(c.id == 1 and c.c_type == Spell and c.dir == Up and sz(c.sol) == 3);
    Cell k(Wall, 1, 2, true), none;
    CHECK(k.type == Wall and k.owner == 1 and k.id == 2 and k.book and not k.is_empty());
    CHECK(none.type == Corridor and none.owner == -1 and none.id == -1 and not none.book and none.is_empty());
    Unit u(Ghost, 2, 3, Pos(4, 5), 6, 7), w(Wizard, 9, 1, {4, 5}, 2, 3), n;
    CHECK(u.type == Ghost and u.id == 2 and u.player == 3 and u.pos == Pos(4, 5) and u.rounds_pending == 6 and u.next_player == 7);
    CHECK(not u.is_in_conversion_process() and u.rounds_for_converting() == -1 and u.player_to_be_converted_to() == -1);
    CHECK(u.last_attack_received() == 7 and u.resting_rounds() == 6);
    CHECK(w.is_in_conversion_process() and w.rounds_for_converting() == 2 and w.player_to_be_converted_to() == 3);
    CHECK(w.last_attack_received() == -1 and w.resting_rounds() == -1);
    CHECK(n.type == Wizard and n.id == -1 and n.player == -1 and n.pos == Pos(0, 0) and n.rounds_pending == -1 and n.next_player == -1);
    CHECK(int_to_string(-7) == "-7" and double_to_string(0.5) == "0.5" and string_to_int("42") == 42);
    _my_assert(true, "never said");
    pair best(3, 'x');
    priority_queue<int, vector<int>, greater<>> first;
    first.push(best.first);
    CHECK(first.top() == 3 and twice(21) == 42 and not goal);
  }

  void settings () {
    CHECK(version() == "HarryPotter 1.0" and PLAYER_NAME::version() == Settings::version());
    CHECK(num_players() == 4 and num_rounds() == NUM_ROUNDS and board_rows() == SIZE and board_cols() == SIZE);
    CHECK(num_ini_wizards_per_clan() == 20 and num_ini_books() == 40 and clan_ini_magic_strength() == 1000);
    CHECK(points_for_converting_wizard() == 100 and points_per_owned_cell() == 1 and book_magic_strength() == 70);
    CHECK(rounds_for_converting_wizard() == 6 and rounds_attack_resting_ghost() == 15);
    CHECK(rounds_no_attack_ghost() == 5 and rounds_spell_resting_ghost() == 12);
    CHECK(player_ok(0) and player_ok(3) and not player_ok(-1) and not player_ok(4));
    CHECK(Player::pos_ok(0, 0) and Player::pos_ok(Pos(59, 59)) and not Player::pos_ok(60, 0));
    CHECK(not Player::pos_ok(0, 60) and not Player::pos_ok(-1, 0) and not Player::pos_ok({0, -1}));
  }

  void out_of_range () {
    for (int id : {-1, -2, 84, INT_MAX, INT_MIN}) {
      Unit u = unit(id);
      CHECK(u.type == Wizard and u.id == -1 and u.player == -1 and u.pos == Pos() and u.rounds_pending == -1 and u.next_player == -1);
    }
    for (Pos p : {Pos(-1, 0), Pos(0, -1), Pos(60, 0), Pos(0, 60), Pos(INT_MAX, INT_MAX), Pos(INT_MIN, INT_MIN)}) {
      Cell c = cell(p), d = cell(p.i, p.j);
      CHECK(c.type == Corridor and c.owner == -1 and c.id == -1 and not c.book and d.id == -1);
      CHECK(not is_empty(p));
    }
    for (int pl : {-1, 4, INT_MAX, INT_MIN}) {
      CHECK(wizards(pl).empty() and ghost(pl) == -1 and magic_strength(pl) == -1 and score(pl) == -1 and status(pl) == -2);
    }
  }

  void state () {
    CHECK(round() == rounds++ and me() >= 0 and me() < 4);
    int count = 0;
    for (int pl = 0; pl < 4; ++pl) {
      vector<int> w = wizards(pl);
      CHECK(is_sorted(w.begin(), w.end()));
      for (int id : w) CHECK(unit(id).type == Wizard and unit(id).player == pl);
      CHECK(ghost(pl) == pl and unit(ghost(pl)).type == Ghost and unit(ghost(pl)).player == pl);
      CHECK(status(pl) >= 0 and status(pl) < 0.9 and score(pl) >= 0 and magic_strength(pl) > 0);
      count += sz(w) + 1;
    }
    CHECK(count == 84);
    for (int id = 0; id < 84; ++id) {
      Unit u = unit(id);
      CHECK(u.id == id and cell(u.pos).id == id and cell(u.pos).owner == u.player and not is_empty(u.pos));
    }
    CHECK(sz(spell_ingredients()) == 15);
  }

  // The state as the wire has it (PROTOCOL.md 5), but for strength points, which the API divides.
  void show () {
    for (int i = 0; i < board_rows(); ++i) {
      cerr << "own " << i << " ";
      for (int j = 0; j < board_cols(); ++j) {
        Cell c = cell(i, j);
        cerr << (c.type == Wall ? 'W' : c.owner == -1 ? '.' : char('0' + c.owner));
      }
      cerr << endl;
    }
    for (int id = 0; unit(id).id != -1; ++id) {
      Unit u = unit(id);
      cerr << "unit " << u.id << " " << UnitType2char(u.type) << " " << u.player << " " << u.pos.i << " " << u.pos.j
           << " " << u.rounds_pending << " " << u.next_player << endl;
    }
    for (int i = 0; i < board_rows(); ++i)
      for (int j = 0; j < board_cols(); ++j)
        if (cell(i, j).book) cerr << "book " << i << " " << j << endl;
    cerr << "voldemort " << pos_voldemort().i << " " << pos_voldemort().j << endl << "spell";
    for (int x : spell_ingredients()) cerr << " " << x;
    cerr << endl << "strength";
    for (int pl = 0; pl < 4; ++pl) cerr << " " << magic_strength(pl);
    cerr << endl << "score";
    for (int pl = 0; pl < 4; ++pl) cerr << " " << score(pl);
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

  void orders () {
    // Nonsense, and repeats: only the first order of a unit counts.
    if (wizards(me()).empty()) return;
    int w = wizards(me())[0];
    Unit before = unit(w);
    move({w, Dir(9)});
    for (int k = 0; k < 8; ++k) move({w, Dir(k)});
    move({-1, Up});
    move({INT_MAX, Dir(INT_MIN)});
    spell(ghost(me()), {});
    spell(ghost(me()), vector<int>(14, 0));
    spell(ghost(me()), vector<int>(16, 0));
    spell(w, {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 5});
    spell(ghost((me() + 1) % 4), vector<int>(15, INT_MAX));
    CHECK(unit(w).pos == before.pos and cell(before.pos).id == w);
  }

  void fail () {
    if (trouble == "throws") throw runtime_error("no such wizard: Neville\nLongbottom");
    if (trouble == "throws a number") throw 42;
    if (trouble == "asserts") _my_assert(round() < 0, "my own words");
    if (trouble == "crashes") {
      cerr << "last words";
      *static_cast<volatile int*>(nullptr) = 1;
    }
    if (trouble == "never returns") for (volatile int k = 0;; ++k) {}
    if (trouble == "endless orders") while (true) spell(ghost(me()), vector<int>(15, INT_MIN));
    if (trouble == "1000") for (int k = 0; k < 1000; ++k) spell(INT_MIN, vector<int>(15, INT_MIN));
    if (trouble == "floods") for (int k = 0; k < 20000; ++k) cerr << "a line of it" << endl;
  }

  virtual void play () {
    // Not worth a write to anybody: nine of the real players ask so up to 2.9 million times a match.
    if (trouble == "asks") {
      int found = 0;
      for (int k = 0; k < 300000; ++k) found += unit(-1).id + cell(-1, k).id + cell(Pos(60, k)).id;
      CHECK(found == -900000);
      return;
    }
    if (round() == 0) {
      types();
      if (trouble == "") settings();
      draws();
      cout << "said to nobody" << endl;
      clog << "said to clog" << endl;
      cerr << "not UTF-8: \xe0\xff, and\ta tab" << endl;
      wcerr << L"said wide" << endl;
    }
    if (trouble != "" and round() == 1) fail();
    else orders();
    out_of_range();
    state();
    if (round() % 10 == 9) show();
  }

};

/**
 * Do not modify the following line.
 */
RegisterPlayer(PLAYER_NAME);
