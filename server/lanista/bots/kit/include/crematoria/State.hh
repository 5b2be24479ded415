// The state of Crematoria at the start of a round (rules/crematoria.md 9.2).
#ifndef State_hh
#define State_hh

#include "Settings.hh"

namespace lanista_kit {

/// How many players there are (rules/crematoria.md 1).
constexpr int players = 4;

/// Ids of units, ascending.
struct Ids {
  const int* first = nullptr;
  int count = 0;

  /// Defined in the main program: where it is inlined into a player, compilers warn of it in vain.
  vector<int> copy() const;
};

/// What the arena told of a round. Plain arrays of the main program, which alone changes them, and
/// only between two calls of `play` or where `State` asks for it.
struct Snapshot {
  int round = 0;
  Cell* cells = nullptr;  ///< Level 0 row by row, then level 1.
  const Unit* units = nullptr;  ///< By id; default ones where a necromonger is dead.
  int nb_units = 0;
  Ids pioneers[players];
  Ids furyans[players];
  Ids necromongers;
  Ids hellhounds;
  int cell_counts[players] = {};
  int gem_counts[players] = {};
  double status[players] = {};
};

/// The present round's.
extern Snapshot now;

/// Sorts the units' ids by kind and player anew.
void sort_units();

}  // namespace lanista_kit

/// The whole board, the same for all players. Arguments out of range are answered, never complained
/// about; every call is cheap, and those that give a vector copy one.
class State {
 public:
  /// The round, from 0.
  int round() const { return lanista_kit::now.round; }

  /// A cell; outside the board a free cave.
  Cell cell(int i, int j, int k) const {
    const Cell* found = lanista_cell(i, j, k);
    return found != nullptr ? *found : Cell();
  }
  Cell cell(Pos p) const { return cell(p.i, p.j, p.k); }

  /// A unit; a default one, of id -1, for an id that there isn't and for a dead necromonger.
  Unit unit(int id) const {
    if (id < 0 || id >= lanista_kit::now.nb_units) return Unit();
    return lanista_kit::now.units[id];
  }

  /// How many ids there are, those of dead necromongers among them.
  int nb_units() const { return lanista_kit::now.nb_units; }

  /// The ids of a player's furyans, ascending; none for no such player.
  vector<int> furyans(int pl) const {
    return lanista_is_player(pl) ? lanista_kit::now.furyans[pl].copy() : vector<int>();
  }

  /// The ids of a player's pioneers, ascending; none for no such player.
  vector<int> pioneers(int pl) const {
    return lanista_is_player(pl) ? lanista_kit::now.pioneers[pl].copy() : vector<int>();
  }

  /// The ids of the living necromongers, ascending, the descending ones among them.
  vector<int> necromongers() const { return lanista_kit::now.necromongers.copy(); }

  /// The ids of the hellhounds, ascending.
  vector<int> hellhounds() const { return lanista_kit::now.hellhounds.copy(); }

  /// How many caves a player owns now; -1 for no such player.
  int nb_cells(int pl) const {
    return lanista_is_player(pl) ? lanista_kit::now.cell_counts[pl] : -1;
  }

  /// How many gems a player has picked so far; -1 for no such player.
  int nb_gems(int pl) const { return lanista_is_player(pl) ? lanista_kit::now.gem_counts[pl] : -1; }

  /// The share of the match's time that a player has used, from 0 to 1; -1 if it is out, and for no
  /// such player.
  double status(int pl) const { return lanista_is_player(pl) ? lanista_kit::now.status[pl] : -1; }

  /// Whether the sun shines there now; never underground or outside the board.
  bool daylight(Pos p) const {
    const int columns = lanista_kit::rules.cols;
    if (p.k != 1 || lanista_cell(p.i, p.j, p.k) == nullptr) return false;
    // Night begins at column 2r and covers half of the columns (rules/crematoria.md 2.5).
    const int since_night = (p.j - 2 * (round() % columns) + 2 * columns) % columns;
    return 2 * since_night >= columns;
  }

  /// The cell of a letter in the original's files: `R`, `C` and `0` to `3` underground, `O` and `G`
  /// (with a gem) outside, `E` on both; a default one for another letter.
  Cell char2cell(char letter) const {
    switch (letter) {
      case 'R': return Cell(Rock, -1, -1, false);
      case 'E': return Cell(Elevator, -1, -1, false);
      case 'O': return Cell(Outside, -1, -1, false);
      case 'G': return Cell(Outside, -1, -1, true);
      default: return Cell(Cave, letter >= '0' && letter <= '3' ? letter - '0' : -1, -1, false);
    }
  }

  /// Puts the cells of a text in place of those of this round, all of level 0 row by row, then
  /// those of level 1, a word a row. Cells that the text lacks stay as they are.
  void read_grid(istream& in) {
    const lanista_kit::Rules& board = lanista_kit::rules;
    string row;
    for (int i = 0; i < 2 * board.rows && in >> row; ++i) {
      for (int j = 0; j < board.cols && j < static_cast<int>(row.size()); ++j) {
        Cell& cell = lanista_kit::now.cells[i * board.cols + j];
        const int id = cell.id;  // a grid doesn't tell of units
        cell = char2cell(row[static_cast<size_t>(j)]);
        cell.id = id;
      }
    }
  }

  /// Makes the vectors of units by player anew. Nothing that a player can do makes that necessary.
  void update_vectors_by_player() { lanista_kit::sort_units(); }

 private:
  static bool lanista_is_player(int pl) { return pl >= 0 && pl < lanista_kit::players; }

  static Cell* lanista_cell(int i, int j, int k) {
    const lanista_kit::Rules& board = lanista_kit::rules;
    if (i < 0 || i >= board.rows || j < 0 || j >= board.cols || k < 0 || k > 1) return nullptr;
    return lanista_kit::now.cells + (k * board.rows + i) * board.cols + j;
  }
};

#endif
