// The state of Hogwarts at the start of a round (rules/hogwarts.md 16).
#ifndef State_hh
#define State_hh

#include "Settings.hh"

namespace lanista_kit {

/// How many clans there are (rules/hogwarts.md 1).
constexpr int clans = 4;

/// What the arena told of a round. Plain arrays of the main program, which alone changes them, and
/// only between two calls of `play`.
struct Snapshot {
  int round = 0;
  const Cell* cells = nullptr;  ///< Row by row, all of `rules.BOARD_ROWS` x `rules.BOARD_COLS`.
  const Unit* units = nullptr;  ///< By id.
  int nb_units = 0;
  const int* wizards[clans] = {};  ///< Their ids, ascending.
  int nb_wizards[clans] = {};
  int ghosts[clans] = {};
  Pos voldemort;
  int strength[clans] = {};  ///< For each unit, rounded down.
  int scores[clans] = {};
  double status[clans] = {};
  const int* ingredients = nullptr;
  int nb_ingredients = 0;
};

/// The present round's.
extern Snapshot now;

}  // namespace lanista_kit

/// The whole board, the same for all players. Arguments out of range are answered, never complained
/// about; every call is cheap, and the two that give a vector copy one.
class State {
 public:
  /// The round, from 0.
  int round() const { return lanista_kit::now.round; }

  /// A cell; outside the board a free corridor.
  Cell cell(int i, int j) const {
    const lanista_kit::Rules& board = lanista_kit::rules;
    if (i < 0 || i >= board.BOARD_ROWS || j < 0 || j >= board.BOARD_COLS) return Cell();
    return lanista_kit::now.cells[i * board.BOARD_COLS + j];
  }
  Cell cell(Pos p) const { return cell(p.i, p.j); }

  /// A unit; a default one, of id -1, for an id that there isn't.
  Unit unit(int id) const {
    if (id < 0 || id >= lanista_kit::now.nb_units) return Unit();
    return lanista_kit::now.units[id];
  }

  /// The ids of a clan's wizards, ascending; none for no such clan.
  vector<int> wizards(int pl) const {
    if (!lanista_is_clan(pl)) return {};
    const int* first = lanista_kit::now.wizards[pl];
    return vector<int>(first, first + lanista_kit::now.nb_wizards[pl]);
  }

  /// The id of a clan's ghost; -1 for no such clan.
  int ghost(int pl) const { return lanista_is_clan(pl) ? lanista_kit::now.ghosts[pl] : -1; }

  /// Where Voldemort is.
  Pos pos_voldemort() const { return lanista_kit::now.voldemort; }

  /// A clan's strength points for each of its units, rounded down; -1 for no such clan.
  int magic_strength(int pl) const {
    return lanista_is_clan(pl) ? lanista_kit::now.strength[pl] : -1;
  }

  /// A clan's score; -1 for no such clan.
  int score(int pl) const { return lanista_is_clan(pl) ? lanista_kit::now.scores[pl] : -1; }

  /// The 15 of this round.
  vector<int> spell_ingredients() const {
    const int* first = lanista_kit::now.ingredients;
    return vector<int>(first, first + lanista_kit::now.nb_ingredients);
  }

  /// The share of the match's time that a clan has used, from 0 to 1; -1 if it is out, -2 for no
  /// such clan.
  double status(int pl) const { return lanista_is_clan(pl) ? lanista_kit::now.status[pl] : -2; }

 private:
  static bool lanista_is_clan(int pl) { return pl >= 0 && pl < lanista_kit::clans; }
};

#endif
