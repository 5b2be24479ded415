// The types of Crematoria's state and orders (rules/crematoria.md 9.1).
#ifndef Structs_hh
#define Structs_hh

#include "Utils.hh"

/// Directions; `Top` is a row up, `Up` a level up. Any int can be one: what isn't from 0 to 10 leads
/// nowhere.
enum Dir : int { Bottom, BR, Right, RT, Top, TL, Left, LB, Up, Down, None, DirSize };

/// Whether it is one of the eleven.
inline bool dir_ok(Dir d) { return d >= Bottom && d <= None; }

/// A place: row and column, from 0 at the top left, and level, 0 underground and 1 outside.
struct Pos {
  int i, j, k;

  Pos() : i(0), j(0), k(0) {}
  Pos(int row, int column, int level) : i(row), j(column), k(level) {}

  /// A step; columns are circular, rows and levels aren't. An invalid direction is no step.
  Pos& operator+=(Dir d) {
    static const int rows[] = {1, 1, 0, -1, -1, -1, 0, 1, 0, 0, 0};
    static const int columns[] = {0, 1, 1, 1, 0, -1, -1, -1, 0, 0, 0};
    static const int levels[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 0};
    return dir_ok(d) ? *this += Pos(rows[d], columns[d], levels[d]) : *this;
  }

  /// Columns are brought back to the board by one turn round it at most.
  Pos& operator+=(Pos p) {
    static const int circle = 80;  // columns of every board
    i += p.i;
    j += p.j;
    k += p.k;
    if (j < 0) {
      j += circle;
    } else if (j >= circle) {
      j -= circle;
    }
    return *this;
  }
};

inline bool operator==(const Pos& a, const Pos& b) {
  return a.i == b.i && a.j == b.j && a.k == b.k;
}
inline bool operator!=(const Pos& a, const Pos& b) { return !(a == b); }
/// By row, then column, then level.
inline bool operator<(const Pos& a, const Pos& b) {
  return a.i != b.i ? a.i < b.i : a.j != b.j ? a.j < b.j : a.k < b.k;
}
inline Pos operator+(Pos p, Dir d) { return p += d; }
inline Pos operator+(Pos p, Pos q) { return p += q; }
/// As `(i, j, k)`.
inline ostream& operator<<(ostream& os, const Pos& p) {
  return os << "(" << p.i << ", " << p.j << ", " << p.k << ")";
}

enum CellType : int { Outside, Cave, Rock, Elevator, CellTypeSize };

/// A cell of the board.
struct Cell {
  CellType type;
  int owner;  ///< The player that owns it, a cave; -1: none.
  int id;     ///< The unit on it; -1: none, as under a descending necromonger.
  bool gem;   ///< Whether a gem lies there.

  /// A free cave; what `State::cell` gives outside the board.
  Cell() : type(Cave), owner(-1), id(-1), gem(false) {}
  Cell(CellType type_, int owner_, int id_, bool gem_)
      : type(type_), owner(owner_), id(id_), gem(gem_) {}
};

enum UnitType : int { Pioneer, Furyan, Necromonger, Hellhound, UnitTypeSize };

/// Its letter in the original's files; `?` for no such type.
inline char ut2char(UnitType type) {
  return type >= Pioneer && type < UnitTypeSize ? "pfnh"[type] : '?';
}

/// The type of a letter; UnitTypeSize for no such letter.
inline UnitType char2ut(char letter) {
  int type = Pioneer;
  while (type < UnitTypeSize && ut2char(UnitType(type)) != letter) ++type;
  return UnitType(type);
}

/// A unit of a player or of nobody.
struct Unit {
  UnitType type;
  int id;
  int player;  ///< Whose it is; -1: nobody's.
  int health;  ///< A hellhound's is -1.
  int turns;   ///< Above 0: a necromonger that lands so many rounds later; 0: one that landed.
  Pos pos;

  /// No unit; what `State::unit` gives for an id that there isn't and for dead necromongers.
  Unit() : type(Pioneer), id(-1), player(-1), health(0), turns(-1), pos(-1, -1, -1) {}
  Unit(UnitType type_, int id_, int player_, int health_, int turns_, Pos pos_)
      : type(type_), id(id_), player(player_), health(health_), turns(turns_), pos(pos_) {}
};

/// As a line of the original's files: letter, player, health, turns, row, column, level.
inline ostream& operator<<(ostream& os, const Unit& unit) {
  return os << ut2char(unit.type) << ' ' << unit.player << ' ' << unit.health << ' ' << unit.turns
            << ' ' << unit.pos.i << ' ' << unit.pos.j << ' ' << unit.pos.k;
}

/// An order.
struct Movement {
  int id;
  Dir dir;

  Movement(int id_, Dir dir_) : id(id_), dir(dir_) {}
};

#endif
