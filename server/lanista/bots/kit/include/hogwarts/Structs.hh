// The types of Hogwarts' state and orders (rules/hogwarts.md 16).
#ifndef Structs_hh
#define Structs_hh

#include "Utils.hh"

/// Directions; wizards may use the even ones alone. Any int can be one: what isn't from 0 to 7
/// leads nowhere.
enum Dir : int { Down, DR, Right, RU, Up, UL, Left, LD };

/// Whether it is one of the eight.
inline bool dir_ok(Dir d) { return d >= Down && d <= LD; }

/// Its name, or its number if it is none of the eight.
inline ostream& operator<<(ostream& os, Dir d) {
  static const char* const names[] = {"Down", "DR", "Right", "RU", "Up", "UL", "Left", "LD"};
  return dir_ok(d) ? os << names[d] : os << int(d);
}

/// Its letter in the original's files; `?` if it is none of the eight.
inline char Dir2char(Dir d) { return dir_ok(d) ? "dcreuqlz"[d] : '?'; }

/// The direction of a letter; Dir(-1) for no such letter.
inline Dir char2Dir(char letter) {
  for (int d = Down; d <= LD; ++d)
    if (Dir2char(Dir(d)) == letter) return Dir(d);
  return Dir(-1);
}

/// A place on the board: row and column, from 0 at the top left.
struct Pos {
  int i, j;

  Pos() : i(0), j(0) {}
  Pos(int row, int column) : i(row), j(column) {}

  /// A step; an invalid direction is none.
  Pos& operator+=(Dir d) {
    static const int rows[] = {1, 1, 0, -1, -1, -1, 0, 1};
    static const int columns[] = {0, 1, 1, 1, 0, -1, -1, -1};
    if (dir_ok(d)) {
      i += rows[d];
      j += columns[d];
    }
    return *this;
  }

  Pos& operator+=(Pos p) {
    i += p.i;
    j += p.j;
    return *this;
  }
};

inline bool operator==(const Pos& a, const Pos& b) { return a.i == b.i && a.j == b.j; }
inline bool operator!=(const Pos& a, const Pos& b) { return !(a == b); }
/// Row by row, within a row by columns.
inline bool operator<(const Pos& a, const Pos& b) { return a.i != b.i ? a.i < b.i : a.j < b.j; }
inline Pos operator+(Pos p, Dir d) { return p += d; }
inline Pos operator+(Pos p, Pos q) { return p += q; }
/// As `(i, j)`.
inline ostream& operator<<(ostream& os, const Pos& p) {
  return os << "(" << p.i << ", " << p.j << ")";
}

enum CellType : int { Corridor, Wall };

/// Its name, or its number if it is none of the two.
inline ostream& operator<<(ostream& os, CellType type) {
  if (type == Corridor) return os << "Corridor";
  if (type == Wall) return os << "Wall";
  return os << int(type);
}

/// A cell of the board.
struct Cell {
  CellType type;
  int owner;  ///< The clan it belongs to; -1: none.
  int id;     ///< The unit on it; -1: none.
  bool book;  ///< Whether a book lies there.

  /// A free corridor; what `State::cell` gives outside the board.
  Cell() : type(Corridor), owner(-1), id(-1), book(false) {}
  Cell(CellType type_, int owner_, int id_, bool book_)
      : type(type_), owner(owner_), id(id_), book(book_) {}

  /// Whether it is a corridor without unit and without book.
  bool is_empty() const { return type == Corridor && id == -1 && !book; }
};

enum UnitType : int { Wizard, Ghost };

/// Its name, or its number if it is none of the two.
inline ostream& operator<<(ostream& os, UnitType type) {
  if (type == Wizard) return os << "Wizard";
  if (type == Ghost) return os << "Ghost";
  return os << int(type);
}

/// Its letter in the original's files; `?` for no such type.
inline char UnitType2char(UnitType type) {
  return type == Wizard ? 'w' : type == Ghost ? 'g' : '?';
}

/// The type of a letter; UnitType(-1) for no such letter.
inline UnitType char2UnitType(char letter) {
  return letter == 'w' ? Wizard : letter == 'g' ? Ghost : UnitType(-1);
}

/// A wizard or a ghost.
struct Unit {
  UnitType type;
  int id;
  int player;  ///< The clan it belongs to.
  Pos pos;
  int rounds_pending;  ///< A wizard's rounds until it changes clan; a ghost's rounds of rest.
  int next_player;     ///< A wizard's next clan, or -1; a ghost's last round attacked, or -1.

  /// No unit; what `State::unit` gives for an id that there isn't.
  Unit() : type(Wizard), id(-1), player(-1), pos(0, 0), rounds_pending(-1), next_player(-1) {}
  Unit(UnitType type_, int id_, int player_, Pos pos_, int rounds_pending_, int next_player_)
      : type(type_),
        id(id_),
        player(player_),
        pos(pos_),
        rounds_pending(rounds_pending_),
        next_player(next_player_) {}

  /// Whether it is a wizard that will change clan.
  bool is_in_conversion_process() { return type == Wizard && rounds_pending > 0; }
  /// A wizard's rounds until it changes clan; -1 for ghosts.
  int rounds_for_converting() { return type == Wizard ? rounds_pending : -1; }
  /// The clan that a wizard will change to, -1 if to none; -1 for ghosts.
  int player_to_be_converted_to() { return type == Wizard ? next_player : -1; }
  /// The last round in which a ghost was attacked, -1 if in none; -1 for wizards.
  int last_attack_received() { return type == Ghost ? next_player : -1; }
  /// The rounds that a ghost still rests; -1 for wizards.
  int resting_rounds() { return type == Ghost ? rounds_pending : -1; }
};

enum CommandType : int { Move, Spell };

/// Its letter in the original's files; `?` for no such type.
inline char CommandType2char(CommandType type) {
  return type == Move ? 'm' : type == Spell ? 's' : '?';
}

/// The type of a letter; CommandType(-1) for no such letter.
inline CommandType char2CommandType(char letter) {
  return letter == 'm' ? Move : letter == 's' ? Spell : CommandType(-1);
}

/// An order, for players that collect theirs.
struct Command {
  int id, c_type, dir;
  vector<int> sol;
};

#endif
