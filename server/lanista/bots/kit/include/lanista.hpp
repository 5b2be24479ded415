// The C++17 client of Lanista: this one header, no dependency, to copy beside a bot.
//
// It speaks version 1 of the wire protocol (PROTOCOL.md) over a blocking socket and gives the
// position as plain members. No strategy lives here, no thread, and no clock but for the pauses
// between attempts to connect.
//
//     #include "lanista.hpp"
//
//     int main() {
//         lanista::Arena arena({"MyBot", "angrymob"});
//         while (arena.next()) {  // one state for each turn that asks for an answer
//             lanista::AngryMob& state = arena.angrymob();
//             lanista::Moves moves;
//             for (auto [cell, units] : state.mine)
//                 if (state.passable({cell.i, cell.j + 1}))
//                     moves.push_back({cell.i, cell.j, units, lanista::AngryMob::right});
//             arena.send(moves);
//         }
//     }
//
// In its order: errors; what is said (moves) and told (facts, notes, results); the states of the
// games; the connection. It needs POSIX sockets (Linux, macOS, WSL).
//
// Copyright: the Lanista project. Licence: Apache-2.0.

#ifndef LANISTA_HPP
#define LANISTA_HPP

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// The client of Lanista. Names in `lanista::detail` are not for use.
namespace lanista {

namespace detail {
inline std::string escaped(std::string_view text);
}

// -- errors ---------------------------------------------------------------------------------------

/// The match can't go on: the arena said `error`, or the connection is lost. If nothing catches it,
/// the bot ends with one line, which is `what()`, and exit status 1.
class ArenaError : public std::runtime_error {
  public:
    /// By its code and words; for `Arena`.
    ArenaError(const std::string& code, const std::string& words)
        : std::runtime_error(detail::escaped(words.empty() ? code : code + ": " + words)),
          code_(code),
          words_(words) {}

    /// A code of PROTOCOL.md 7 (`bad-hello`, `name-taken`, `late`, `shutdown` …) or one of the
    /// client's own: `unreachable` (no connection could be made), `disconnected` (it ended in
    /// mid-match), `unreadable` (the arena sent something outside the protocol).
    const std::string& code() const noexcept { return code_; }

    /// The explanation, for people; `what()` is the code and these, with escapes for what can't be
    /// seen.
    const std::string& words() const noexcept { return words_; }

  private:
    std::string code_, words_;
};

/// The bot's author used the client wrongly; `what()` says what would be right.
class MisuseError : public std::logic_error {
  public:
    using std::logic_error::logic_error;
};

// -- what is said and told ------------------------------------------------------------------------

/// What to say to the arena, and where it is. `Arena arena({"MyBot", "angrymob"})` gives the first
/// two. With LANISTA_LOCAL=1, which `lanista play`, `check` and tournaments set, host, port, token,
/// room and reconnect count for nothing.
struct Options {
    /// What to be called, 1 to 32 printable characters; if empty: LANISTA_NAME.
    std::string name = {};
    /// The ruleset wanted; without it: the arena's default.
    std::optional<std::string> game = {};
    /// Where the arena is; if empty: LANISTA_HOST, else 127.0.0.1.
    std::string host = {};
    /// Its TCP port; without it: LANISTA_PORT, else 7777.
    std::optional<int> port = {};
    /// The secret for this name or seat; if empty: LANISTA_TOKEN, else none.
    std::string token = {};
    /// Wait for opponents in this room only.
    std::optional<std::string> room = {};
    /// Ask for this seat, from 0.
    std::optional<int> seat = {};
    /// Stay for match after match.
    bool keep = false;
    /// Be told of everything that was refused, not only of why a match was lost.
    bool notes = false;
    /// Connect again, for as long as it takes, when there is no connection or it breaks, and take
    /// the match up again if the arena allows it; each attempt is told on stderr. With `keep` the
    /// loop then ends only by an error that would come again.
    bool reconnect = false;
    /// Don't tell on stderr that the bot has been waiting for an opponent for a second; without it:
    /// LANISTA_QUIET=1, which the arena sets for the bots that it starts.
    std::optional<bool> quiet = {};
};

/// A word of a submove: an integer, or a single letter of the game such as `'m'`.
class Token {
  public:
    /// A letter, `A` to `Z` or `a` to `z`.
    Token(char letter) : number_(0), letter_(letter), is_letter_(true) {}

    /// No submove has fractions.
    Token(double) = delete;

    /// A number of any integer type, or a direction of a game.
    template <typename Integer,
              typename = std::enable_if_t<!std::is_same_v<Integer, char> &&
                                          (std::is_integral_v<Integer> || std::is_enum_v<Integer>)>>
    Token(Integer number) : number_(static_cast<long long>(number)) {}

    /// Whether it is a letter; else it is a number.
    bool is_letter() const noexcept { return is_letter_; }
    /// The letter, of a letter.
    char letter() const noexcept { return letter_; }
    /// The number, of a number.
    long long number() const noexcept { return number_; }

  private:
    long long number_;
    char letter_ = 0;
    bool is_letter_ = false;
};

/// A submove as the game's rules have it: `{i, j, units, direction}`, `{'m', id, direction}`.
using Move = std::vector<Token>;

/// The submoves of one answer; none at all is a valid answer.
using Moves = std::vector<Move>;

/// The words of a line from the arena, those after its keyword.
using Words = std::vector<std::string>;

/// Lines from the arena by their keyword: `facts["unit"][0][1]` is the second word of the first
/// `unit` line. So a game that this header knows nothing of can be played.
class Facts {
  public:
    /// All lines with one keyword.
    struct Group {
        std::string keyword;       ///< their first word
        std::vector<Words> lines;  ///< the other words of each, in the order of their coming
    };

    /// The lines with a keyword, in the order of their coming; empty if there are none.
    const std::vector<Words>& operator[](std::string_view keyword) const {
        static const std::vector<Words> none;
        for (const Group& group : groups_)
            if (group.keyword == keyword) return group.lines;
        return none;
    }
    /// All lines; each keyword comes once.
    const std::vector<Group>& all() const { return groups_; }
    /// Keeps one more line; for `Arena`.
    void add(std::string_view keyword, Words words) {
        std::size_t at = 0;
        while (at < groups_.size() && groups_[at].keyword != keyword) ++at;
        if (at == groups_.size()) groups_.push_back({std::string(keyword), {}});
        groups_[at].lines.push_back(std::move(words));
    }
    /// Forgets all lines; for `Arena`.
    void clear() { groups_.clear(); }

  private:
    std::vector<Group> groups_;  // few, so that looking through them is the quickest
};

/// How a match ended (PROTOCOL.md 3).
struct Result {
    /// `finished`, `forfeit`, `aborted` or `void`.
    std::string end;
    /// The place of each seat, 1 is best, equal places are ties.
    std::vector<int> ranks;
    /// The final score of each seat, in the units of the game's rules.
    std::vector<double> scores;
};

/// Something of ours that the arena refused, the match going on (PROTOCOL.md 7).
struct Note {
    /// `late`, `malformed` or `illegal`; or `benched`, after a match: the bot rests; or `room`,
    /// before one: the room isn't a ladder.
    std::string code;
    /// The turn that was answered so; of `benched` the seconds of rest, 0: until the operator ends
    /// it.
    int turn;
    /// The submove's place in that answer, from 0; none: the answer as a whole.
    std::optional<int> index;
    /// The explanation, for people.
    std::string words;
};

/// Seconds for answers; 0: no limit.
struct Clock {
    double first = 0;  ///< for the answer to turn 0
    double other = 0;  ///< for every other
};

/// Of a cell that no way leads to: more steps than any way has.
constexpr int no_way = 1 << 30;

/// A place of Angry Mob or Hogwarts: row and column, from 0 at the top left.
struct Cell {
    int i = 0;  ///< row
    int j = 0;  ///< column

    friend bool operator==(Cell a, Cell b) { return a.i == b.i && a.j == b.j; }
    friend bool operator!=(Cell a, Cell b) { return !(a == b); }
    friend bool operator<(Cell a, Cell b) { return a.i != b.i ? a.i < b.i : a.j < b.j; }
};

/// A place of Crematoria: row from 0 at the top, column from 0 at the left, level 0 underground and
/// 1 outside.
struct Pos {
    int i = 0;  ///< row
    int j = 0;  ///< column
    int k = 0;  ///< level

    friend bool operator==(Pos a, Pos b) { return a.i == b.i && a.j == b.j && a.k == b.k; }
    friend bool operator!=(Pos a, Pos b) { return !(a == b); }
    friend bool operator<(Pos a, Pos b) {
        return a.i != b.i ? a.i < b.i : a.j != b.j ? a.j < b.j : a.k < b.k;
    }
};

/// Somewhere on a board, to draw there: a cell, or a place of a board with levels.
struct Place {
    int i;      ///< row
    int j;      ///< column
    int k = -1;  ///< level; -1: none is said

    Place(int row, int col) : i(row), j(col) {}
    Place(int row, int col, int level) : i(row), j(col), k(level) {}
    Place(Cell cell) : i(cell.i), j(cell.j) {}
    Place(Pos pos) : i(pos.i), j(pos.j), k(pos.k) {}
};

// -- within ---------------------------------------------------------------------------------------

namespace detail {

/// The arena said something outside the protocol; `Arena` tells its author as an `ArenaError`.
class Unreadable : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The code point at a byte of a text in UTF-8, and the byte after it; -1: no UTF-8 (one byte on).
inline long code_point(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned first = byte(at++);
    if (first < 0x80) return static_cast<long>(first);
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4 || text.size() - at < more) return -1;
    unsigned long point = first & (0x3FU >> more);
    for (std::size_t k = at; k < at + more; ++k) {
        if ((byte(k) & 0xC0U) != 0x80) return -1;
        point = point << 6 | (byte(k) & 0x3FU);
    }
    const unsigned long least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
    if (point < least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return -1;
    at += more;
    return static_cast<long>(point);
}

/// Whether a character can be seen, or is a space: none of the Unicode categories C and Z. Code
/// points that no Unicode version has used count as seen; the arena knows better.
inline bool printable(long point) {
    static constexpr long unseen[][2] = {
        {-1, 0x1F},         {0x7F, 0xA0},       {0xAD, 0xAD},         {0x600, 0x605},
        {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},       {0x890, 0x891},
        {0x8E2, 0x8E2},     {0x1680, 0x1680},   {0x180E, 0x180E},     {0x2000, 0x200F},
        {0x2028, 0x202F},   {0x205F, 0x206F},   {0x3000, 0x3000},     {0xE000, 0xF8FF},
        {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD},   {0x110CD, 0x110CD},
        {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},   {0xE0001, 0xE0001},
        {0xE0020, 0xE007F}, {0xF0000, 0xFFFFD}, {0x100000, 0x10FFFD},
    };
    for (const auto& range : unseen)
        if (point >= range[0] && point <= range[1]) return false;
    return true;
}

inline void append_escaped(std::string& to, std::string_view bytes) {
    for (const char byte : bytes) {
        char text[5];
        std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned>(byte) & 0xFFU);
        to += text;
    }
}

/// A text that does nothing to a terminal: what can't be seen is `\u{..}`, what isn't UTF-8 `\x..`.
inline std::string escaped(std::string_view text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        const long point = code_point(text, at);
        if (printable(point)) {
            shown += text.substr(from, at - from);
        } else if (point < 0) {
            append_escaped(shown, text.substr(from, at - from));
        } else {
            char code[24];
            std::snprintf(code, sizeof code, "\\u{%lx}", static_cast<unsigned long>(point));
            shown += code;
        }
    }
    return shown;
}

/// A text as one line for people: in quotes, escaped, cut at 200 bytes.
inline std::string quoted(std::string_view text) {
    std::size_t cut = 0;
    while (cut < text.size() && cut < 200) code_point(text, cut);
    return "'" + escaped(text.substr(0, cut)) + (cut < text.size() ? "'..." : "'");
}

/// Whether a text is one or more printable characters, and how many; 0: it isn't.
inline std::size_t printable_length(std::string_view text) {
    std::size_t length = 0;
    for (std::size_t at = 0; at < text.size(); ++length)
        if (!printable(code_point(text, at))) return 0;
    return length;
}

/// A number of the arena (PROTOCOL.md 1), by its whole text; none: it isn't one.
inline std::optional<double> number(std::string_view text) {
    std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
    double value = 0, scale = 1;  // both exact below 2^53, so that the quotient is the nearest
    bool digits = false, point = false;
    for (; at < text.size(); ++at) {
        if (text[at] == '.' && digits && !point) {
            point = true;
            digits = false;  // there must be more
            continue;
        }
        if (text[at] < '0' || text[at] > '9') return {};
        digits = true;
        value = value * 10 + (text[at] - '0');
        if (point) scale *= 10;
    }
    if (!digits) return {};
    return (text[0] == '-' ? -value : value) / scale;
}

inline double to_double(std::string_view text) {
    const std::optional<double> value = number(text);
    if (!value) throw Unreadable("no number");
    return *value;
}

/// An integer of 32 bits, by its whole text.
inline int to_int(std::string_view text) {
    const bool minus = !text.empty() && text[0] == '-';
    if (text.size() == minus || text.size() > 11) throw Unreadable("no integer");
    long long value = 0;
    for (const char digit : text.substr(minus)) {
        if (digit < '0' || digit > '9') throw Unreadable("no integer");
        value = value * 10 + (digit - '0');
    }
    if (minus) value = -value;
    if (value < INT_MIN || value > INT_MAX) throw Unreadable("no integer of 32 bits");
    return static_cast<int>(value);
}

/// An integer from 0 to one less than the limit.
inline int below(std::string_view text, std::size_t limit) {
    const int value = to_int(text);
    if (value < 0 || static_cast<std::size_t>(value) >= limit) throw Unreadable("beyond a limit");
    return value;
}

inline std::vector<int> to_ints(const Words& words) {
    std::vector<int> numbers;
    numbers.reserve(words.size());
    for (const std::string& word : words) numbers.push_back(to_int(word));
    return numbers;
}

inline std::vector<double> to_doubles(const Words& words) {
    std::vector<double> numbers;
    numbers.reserve(words.size());
    for (const std::string& word : words) numbers.push_back(to_double(word));
    return numbers;
}

/// The words of a line, which has so many of them at least.
inline const Words& of_size(const Words& words, std::size_t least, std::size_t most = SIZE_MAX) {
    if (words.size() < least || words.size() > most) throw Unreadable("another number of words");
    return words;
}

/// The first line with a keyword, which must have come.
inline const Words& first(const Facts& facts, const std::string& keyword, std::size_t words = 0) {
    const auto& lines = facts[keyword];
    if (lines.empty()) throw Unreadable("no " + keyword);
    return of_size(lines[0], words);
}

/// The words of a line from one on, joined.
inline std::string joined(const Words& words, std::size_t from) {
    std::string text;
    for (std::size_t k = from; k < words.size(); ++k) {
        if (k > from) text += ' ';
        text += words[k];
    }
    return text;
}

/// Puts one more thing in its order; nothing moves if things come in order.
template <typename Thing>
void insert_sorted(std::vector<Thing>& things, Thing thing) {
    auto at = things.end();
    while (at != things.begin() && thing < *(at - 1)) --at;
    things.insert(at, std::move(thing));
}

/// A line that begins with a number.
struct Numbered {
    int number;
    const Words* words;

    friend bool operator<(Numbered a, Numbered b) { return a.number < b.number; }
};

/// Lines that begin with a number, by it: their coming says nothing (PROTOCOL.md 3).
inline std::vector<Numbered> by_number(const std::vector<Words>& lines) {
    std::vector<Numbered> sorted;
    for (const Words& words : lines)
        insert_sorted(sorted, Numbered{to_int(of_size(words, 1)[0]), &words});
    return sorted;
}

/// The second word of each such line, a number.
inline std::vector<double> numbers_by_seat(const std::vector<Words>& lines) {
    std::vector<double> numbers;
    for (const auto& [seat, words] : by_number(lines))
        numbers.push_back(to_double(of_size(*words, 2)[1]));
    return numbers;
}

/// The same, of integers.
inline std::vector<int> ints_by_seat(const std::vector<Words>& lines) {
    std::vector<int> numbers;
    for (const auto& [seat, words] : by_number(lines))
        numbers.push_back(to_int(of_size(*words, 2)[1]));
    return numbers;
}

inline Cell to_cell(const Words& words) {
    of_size(words, 2, 2);
    return {to_int(words[0]), to_int(words[1])};
}

/// The board of a game: rows of characters, all of one length, as lines `row I S` or `own I S`.
inline std::vector<std::string> board(const Facts& facts, const std::string& keyword, int rows,
                                      int cols) {
    const auto& lines = facts[keyword];
    if (rows < 1 || cols < 1 || lines.size() != static_cast<std::size_t>(rows))
        throw Unreadable("another number of rows");
    std::vector<std::string> cells(lines.size());
    for (const Words& words : lines) {
        const int row = to_int(of_size(words, 2, 2)[0]);
        if (row < 0 || row >= rows || words[1].size() != static_cast<std::size_t>(cols) ||
            !cells[static_cast<std::size_t>(row)].empty())
            throw Unreadable("no row of the board");
        cells[static_cast<std::size_t>(row)] = words[1];
    }
    return cells;
}

/// The remainder that is never negative.
inline int modulo(int a, int n) { return (a % n + n) % n; }

}  // namespace detail

/// A result as one line for people, without its end: `finished, ranks 1 2, scores 20 3.5`.
inline std::string to_string(const Result& result) {
    std::string text = detail::escaped(result.end) + ", ranks";
    for (const int rank : result.ranks) text += " " + std::to_string(rank);
    text += ", scores";
    for (const double score : result.scores) {
        char number[40];
        std::snprintf(number, sizeof number, " %.15g", score);
        text += number;
    }
    return text;
}

/// Something of the size of a board, for each place of it; for the states.
template <typename Thing>
class Grid {
  public:
    Grid() = default;
    Grid(int rows, int cols, int levels, Thing thing)
        : rows_(rows),
          cols_(cols),
          levels_(levels),
          things_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols) *
                      static_cast<std::size_t>(levels),
                  thing) {}

    /// Whether there is such a place.
    bool has(Pos pos) const {
        return pos.i >= 0 && pos.i < rows_ && pos.j >= 0 && pos.j < cols_ && pos.k >= 0 &&
               pos.k < levels_;
    }
    /// The same, on level 0.
    bool has(Cell cell) const { return has(Pos{cell.i, cell.j, 0}); }
    /// The place on level 0 that words of the arena tell.
    Cell place(const std::string& row, const std::string& col) const {
        return {detail::below(row, static_cast<std::size_t>(rows_)),
                detail::below(col, static_cast<std::size_t>(cols_))};
    }
    /// What is at a place, which must be there.
    Thing& operator[](Pos pos) { return things_[index(pos)]; }
    const Thing& operator[](Pos pos) const { return things_[index(pos)]; }
    Thing& operator[](Cell cell) { return things_[index({cell.i, cell.j, 0})]; }
    const Thing& operator[](Cell cell) const { return things_[index({cell.i, cell.j, 0})]; }
    /// Puts the same at all places.
    void fill(Thing thing) { things_.assign(things_.size(), thing); }

  private:
    std::size_t index(Pos pos) const {
        return static_cast<std::size_t>((pos.k * rows_ + pos.i) * cols_ + pos.j);
    }

    int rows_ = 0, cols_ = 0, levels_ = 0;
    std::vector<Thing> things_;
};

/// Of each place of a board, how many steps it is from the nearest goal.
template <typename Place>
class Distances {
  public:
    /// The steps of a place; `no_way` if no way leads there.
    int operator[](Place place) const { return steps_.has(place) ? steps_[place] : no_way; }

    /// Whether a way leads there.
    bool has(Place place) const { return (*this)[place] != no_way; }

    /// The places that ways lead to, nearest first.
    const std::vector<Place>& places() const& { return places_; }
    std::vector<Place> places() && { return std::move(places_); }

    /// Nothing reached yet; for the states.
    Distances(int rows, int cols, int levels) : steps_(rows, cols, levels, no_way) {}

    /// Puts a place behind the others, unless it has been reached or isn't there; for the states.
    void reach(Place place, int steps) {
        if (!steps_.has(place) || steps_[place] != no_way) return;
        steps_[place] = steps;
        places_.push_back(place);
    }

    /// Goes out from the goals, at most `within` steps; `go_on(place, steps)` reaches what is next
    /// to a place; for the states.
    template <typename GoOn>
    void search(const std::vector<Place>& goals, int within, GoOn go_on) {
        for (const Place goal : goals) reach(goal, 0);
        for (std::size_t at = 0; at < places_.size(); ++at) {  // it grows meanwhile
            const Place place = places_[at];
            const int next = steps_[place] + 1;
            if (next > within) break;
            go_on(place, next);
        }
    }

  private:
    Grid<int> steps_;
    std::vector<Place> places_;
};

// -- states ---------------------------------------------------------------------------------------

/// A match as one seat sees it, whatever the game; there is one object a match, kept current. A
/// copy of it stays as it is.
class State {
  public:
    std::string match;                 ///< the arena's id of the match
    std::string game;                  ///< the ruleset's name
    int seat = 0;                      ///< which player we are, from 0
    std::vector<std::string> players;  ///< the name in each seat
    Clock clock;                       ///< seconds for our answers
    int seed = 0;  ///< for our own random choices, 0 … 2^31-1; another one in every match
    std::map<std::string, std::string> settings;  ///< the ruleset's settings by its own names
    Facts start_facts;                            ///< every line that described the match
    int turn = 0;                                 ///< how many moves have been played
    Facts facts;                                  ///< the lines of this turn

    /// A setting that is a number. Throws std::out_of_range if there is none of that name or it
    /// isn't a number.
    double setting(const std::string& name) const {
        const auto found = settings.find(name);
        const auto value = found == settings.end() ? std::nullopt : detail::number(found->second);
        if (!value) throw std::out_of_range("no setting that is a number: " + name);
        return *value;
    }

    /// Reads the lines that describe a match; for `Arena`.
    State(std::string match_id, Facts start) : match(std::move(match_id)) {
        game = detail::first(start, "game", 1)[0];
        for (const auto& [number, words] : detail::by_number(start["player"]))
            players.push_back(detail::joined(*words, 1));
        seat = detail::below(detail::first(start, "seat", 1)[0], players.size());
        const Words times = detail::first(start, "clock", 2);
        clock = {detail::to_double(times[0]), detail::to_double(times[1])};
        seed = detail::to_int(detail::first(start, "seed", 1)[0]);
        for (const Words& words : start["set"])
            settings[detail::of_size(words, 1)[0]] = detail::joined(words, 1);
        start_facts = std::move(start);
    }
    virtual ~State() = default;
    State(const State&) = default;
    State& operator=(const State&) = default;

    /// Takes the lines of a turn, once all of them are known; for `Arena`.
    virtual void update(int number, Facts lines) {
        turn = number;
        facts = std::move(lines);
    }
};

/// A match of Angry Mob (docs/rules/angrymob.md). Cells are row and column, from 0 at the top left.
class AngryMob : public State {
  public:
    /// The directions (PROTOCOL.md 5).
    enum Dir { right, up, left, down };

    /// A way out of a cell.
    struct Way {
        Dir d;    ///< the direction
        Cell to;  ///< the cell it leads to
    };

    /// How to look for ways.
    struct Search {
        std::vector<Cell> blocked = {};  ///< cells to go around, beside the impassable ones
        int within = no_way;             ///< steps to look at, at most
    };

    /// Units sent: k of them from row i, column j in direction d.
    struct Submove {
        int i, j, k, d;
    };

    int rows = 0;                 ///< the map's height in cells
    int cols = 0;                 ///< its width
    std::vector<Cell> bases;      ///< the base of each seat
    Cell base;                    ///< our own
    Cell enemy_base;              ///< the opponent's
    std::map<Cell, int> mine;     ///< the cells that hold our units, and how many
    std::map<Cell, int> theirs;   ///< the same of the opponent
    std::map<Cell, int> neutral;  ///< the cells that hold neutral units now, and how many
    std::vector<int> totals;      ///< how many units each seat has on the map
    /// Of each seat, the submoves it sent last turn; both empty at turn 0.
    std::vector<std::vector<Submove>> moved;

    /// Of a direction, the cell it leads to, on the map or not.
    static Cell step(Cell from, Dir d) {
        static constexpr int steps[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
        return {from.i + steps[d][0], from.j + steps[d][1]};
    }

    /// Whether the cell lies on the map and units can stand there.
    bool passable(Cell cell) const { return passable_.has(cell) && passable_[cell]; }

    /// The ways out of a cell: each direction that a unit can take, and the cell it leads to.
    std::vector<Way> neighbours(Cell cell) const {
        std::vector<Way> ways;
        ways.reserve(4);
        for (const Dir d : {right, up, left, down})
            if (passable(step(cell, d))) ways.push_back({d, step(cell, d)});
        return ways;
    }

    /// Of each cell, how many steps it is from the nearest goal; goals outside the map count for
    /// nothing.
    Distances<Cell> distances(const std::vector<Cell>& goals, const Search& search) const {
        Grid<char> blocked(rows, cols, 1, 0);
        for (const Cell cell : search.blocked)
            if (blocked.has(cell)) blocked[cell] = 1;
        Distances<Cell> steps(rows, cols, 1);
        steps.search(goals, search.within, [&](const Cell cell, const int next) {
            for (const Dir d : {right, up, left, down}) {
                const Cell to = step(cell, d);
                if (passable(to) && !blocked[to]) steps.reach(to, next);
            }
        });
        return steps;
    }
    /// The same around impassable cells alone.
    Distances<Cell> distances(const std::vector<Cell>& goals) const {
        return distances(goals, Search());
    }

    /// Reads the lines that describe a match; for `Arena`.
    AngryMob(std::string match_id, Facts start) : State(std::move(match_id), std::move(start)) {
        const Cell size = detail::to_cell(detail::first(start_facts, "size"));
        rows = size.i;
        cols = size.j;
        const auto& lines = start_facts["row"];
        if (rows < 1 || cols < 1 || lines.size() != static_cast<std::size_t>(rows))
            throw detail::Unreadable("another number of rows");
        for (const Words& words : lines) detail::of_size(words, static_cast<std::size_t>(cols) + 1);
        passable_ = Grid<char>(rows, cols, 1, 0);
        for (const Words& words : lines)
            for (Cell cell{detail::to_int(words[0]), 0}; cell.j < cols; ++cell.j) {
                const std::string& word = words[static_cast<std::size_t>(cell.j) + 1];
                if (!passable_.has(cell)) throw detail::Unreadable("no row of the map");
                passable_[cell] = word != "#";
                if (word[0] >= '0' && word[0] <= '9') neutral[cell] = detail::to_int(word);
            }
        for (const auto& [number, words] : detail::by_number(start_facts["base"])) {
            detail::of_size(*words, 3, 3);
            bases.push_back(place((*words)[1], (*words)[2]));
        }
        if (bases.size() != 2 || seat > 1) throw detail::Unreadable("no two bases");
        base = bases[static_cast<std::size_t>(seat)];
        enemy_base = bases[static_cast<std::size_t>(1 - seat)];
    }

    /// Takes the lines of a turn; for `Arena`.
    void update(int number, Facts lines) override {
        State::update(number, std::move(lines));
        mine.clear();
        theirs.clear();
        for (const Words& words : facts["unit"]) {
            detail::of_size(words, 4, 4);
            auto& units = detail::below(words[2], 2) == seat ? mine : theirs;
            units.insert_or_assign(units.end(), place(words[0], words[1]),
                                   detail::to_int(words[3]));
        }
        for (const Words& words : facts["neutral"]) {
            detail::of_size(words, 3, 3);
            const Cell cell = place(words[0], words[1]);
            const int units = detail::to_int(words[2]);
            if (units == 0)
                neutral.erase(cell);
            else
                neutral[cell] = units;
        }
        totals = detail::ints_by_seat(facts["total"]);
        moved.assign(2, {});
        for (const Words& words : facts["moved"]) {
            const int whose = detail::below(detail::of_size(words, 1)[0], 2);
            auto& sent = moved[static_cast<std::size_t>(whose)];
            if (words.size() % 4 != 1) throw detail::Unreadable("no submoves of four numbers");
            sent.clear();
            for (std::size_t k = 1; k < words.size(); k += 4)
                sent.push_back({detail::to_int(words[k]), detail::to_int(words[k + 1]),
                                detail::to_int(words[k + 2]), detail::to_int(words[k + 3])});
        }
    }

  private:
    Cell place(const std::string& row, const std::string& col) const {
        const Cell cell{detail::to_int(row), detail::to_int(col)};
        if (!passable(cell)) throw detail::Unreadable("nothing can stand there");
        return cell;
    }

    Grid<char> passable_;
};

/// A match of Hogwarts (docs/rules/hogwarts.md). What the original calls `me()`,
/// `pos_voldemort()` and so on is here under the same words; cells are row and column, from 0 at
/// the top left.
class Hogwarts : public State {
  public:
    /// The directions; wizards may use the even ones alone. `lanista::Hogwarts::down`.
    enum Dir { down, dr, right, ru, up, ul, left, ld };

    /// A way out of a cell.
    struct Way {
        Dir d;    ///< the direction
        Cell to;  ///< the cell it leads to
    };

    /// A wizard or a ghost.
    struct Unit {
        int id = -1;         ///< it never changes; the ghost of clan p has the id p
        bool ghost = false;  ///< whether it is one; else it is a wizard
        int player = -1;     ///< the clan it belongs to
        Cell pos;            ///< where it is
        /// A wizard's rounds until it changes clan, 0: it isn't converting; a ghost's rounds still
        /// to rest, 0: it may cast a spell.
        int rounds_pending = 0;
        /// The clan a wizard will change to, -1: none; the last round in which a ghost was
        /// attacked, -1: never.
        int next_player = -1;

        /// Whether it is a wizard that will change clan unless one of its own frees it.
        bool converting() const { return rounds_pending > 0 && !ghost; }

        friend bool operator<(const Unit& a, const Unit& b) { return a.id < b.id; }
    };

    /// How to look for ways.
    struct Search {
        bool diagonal = false;           ///< in the steps of a ghost, in all eight directions
        std::vector<Cell> blocked = {};  ///< cells to go around, beside the walls
        int within = no_way;             ///< steps to look at, at most
    };

    int rows = 0;             ///< the board's height in cells
    int cols = 0;             ///< its width
    int num_rounds = 0;       ///< the rounds of the whole match
    std::vector<Unit> units;  ///< every unit, in order of ids
    /// The rows of the board, a character a cell: `W` a wall, the clan that owns it, or `.`.
    std::vector<std::string> own;
    std::vector<Cell> books;             ///< where books lie, row by row
    Cell voldemort;                      ///< where he is
    std::vector<int> spell_ingredients;  ///< the 15 of this round
    std::vector<int> strength;   ///< of each clan, its strength points, not divided by its units
    std::vector<int> score;      ///< of each clan
    std::vector<double> status;  ///< of each clan, its share of the match's time used; -1: out

    /// The round that is asked for, from 0: the turn.
    int round() const { return turn; }

    /// Our own clan: the seat.
    int me() const { return seat; }

    /// The unit of an id; null if there is none. It is valid until the next turn.
    const Unit* unit(int id) const {
        std::size_t from = 0, to = units.size();
        while (from < to) {
            const std::size_t middle = (from + to) / 2;
            if (units[middle].id < id)
                from = middle + 1;
            else
                to = middle;
        }
        return from < units.size() && units[from].id == id ? &units[from] : nullptr;
    }

    /// The wizards of a clan, also those in conversion, by id.
    std::vector<Unit> wizards(int player) const {
        std::vector<Unit> found;
        for (const Unit& unit : units)
            if (unit.player == player && !unit.ghost) found.push_back(unit);
        return found;
    }

    /// The ghost of a clan. Throws std::out_of_range if there is no such clan.
    const Unit& ghost(int player) const {
        const Unit* found = unit(player);
        if (!found || !found->ghost)
            throw std::out_of_range("no clan " + std::to_string(player));
        return *found;
    }

    /// What a clan fights with: its strength points for each of its units. Throws
    /// std::out_of_range if there is no such clan.
    int magic_strength(int player) const {
        int count = 0;
        for (const Unit& unit : units) count += unit.player == player;
        if (player < 0 || count == 0)
            throw std::out_of_range("no clan " + std::to_string(player));
        return strength.at(static_cast<std::size_t>(player)) / count;
    }

    /// Of a direction, the cell it leads to, on the board or not.
    static Cell step(Cell from, Dir d) {
        static constexpr int steps[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                            {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
        return {from.i + steps[d][0], from.j + steps[d][1]};
    }

    /// Whether the cell lies on the board.
    bool pos_ok(Cell cell) const { return at_.has(cell); }

    /// Whether the cell is a corridor; false outside the board.
    bool passable(Cell cell) const { return pos_ok(cell) && mark(corridor_, cell) != 'W'; }

    /// The clan that owns a cell; -1: none, as of a wall and outside the board.
    int owner(Cell cell) const {
        if (!pos_ok(cell)) return -1;
        const char owned = mark(own, cell);
        return owned >= '0' && owned <= '9' ? owned - '0' : -1;
    }

    /// The unit on a cell; null if there is none. It is valid until the next turn.
    const Unit* unit_at(Cell cell) const {
        return pos_ok(cell) && at_[cell] >= 0 ? &units[static_cast<std::size_t>(at_[cell])]
                                              : nullptr;
    }

    /// Whether a book lies on a cell.
    bool book(Cell cell) const { return pos_ok(cell) && books_[cell]; }

    /// Whether who steps there dies at once: Voldemort's cell and the 8 around it.
    bool deadly(Cell cell) const {
        return std::abs(cell.i - voldemort.i) <= 1 && std::abs(cell.j - voldemort.j) <= 1;
    }

    /// Whether Voldemort's next step, wherever it leads, may kill who stands there.
    bool reach_of_voldemort(Cell cell) const {
        const int di = std::abs(cell.i - voldemort.i), dj = std::abs(cell.j - voldemort.j);
        return (di <= 1 || dj <= 1) && di <= 2 && dj <= 2;
    }

    /// The ways out of a cell: each direction open to a wizard, with `diagonal` to a ghost, and the
    /// cell it leads to.
    std::vector<Way> neighbours(Cell cell, bool diagonal = false) const {
        std::vector<Way> ways;
        ways.reserve(8);
        for (int d = 0; d < 8; d += diagonal ? 1 : 2) {
            const Cell to = step(cell, Dir(d));
            if (passable(to)) ways.push_back({Dir(d), to});
        }
        return ways;
    }

    /// Of each cell, how many steps it is from the nearest goal; goals outside the board count for
    /// nothing.
    Distances<Cell> distances(const std::vector<Cell>& goals, const Search& search) const {
        Grid<char> blocked(rows, cols, 1, 0);
        for (const Cell cell : search.blocked)
            if (blocked.has(cell)) blocked[cell] = 1;
        Distances<Cell> steps(rows, cols, 1);
        steps.search(goals, search.within, [&](const Cell cell, const int next) {
            for (int d = 0; d < 8; d += search.diagonal ? 1 : 2) {
                const Cell to = step(cell, Dir(d));
                if (passable(to) && !blocked[to]) steps.reach(to, next);
            }
        });
        return steps;
    }
    /// The same in the steps of a wizard, around walls alone.
    Distances<Cell> distances(const std::vector<Cell>& goals) const {
        return distances(goals, Search());
    }

    /// Reads the lines that describe a match; for `Arena`.
    Hogwarts(std::string match_id, Facts start) : State(std::move(match_id), std::move(start)) {
        const Cell size = detail::to_cell(detail::first(start_facts, "size"));
        rows = size.i;
        cols = size.j;
        num_rounds = detail::to_int(settings["NUM_ROUNDS"]);
        corridor_ = own = detail::board(start_facts, "row", rows, cols);
        at_ = Grid<int>(rows, cols, 1, -1);
        books_ = Grid<char>(rows, cols, 1, 0);
    }

    /// Takes the lines of a turn; for `Arena`.
    void update(int number, Facts lines) override {
        State::update(number, std::move(lines));
        own = detail::board(facts, "own", rows, cols);
        detail::first(facts, "unit");
        units.clear();
        for (const Words& words : facts["unit"]) {
            detail::of_size(words, 7, 7);
            Unit unit;
            unit.id = detail::to_int(words[0]);
            unit.ghost = words[1] == "g";
            unit.player = detail::below(words[2], players.size());
            unit.pos = at_.place(words[3], words[4]);
            unit.rounds_pending = detail::to_int(words[5]);
            unit.next_player = detail::to_int(words[6]);
            detail::insert_sorted(units, unit);
        }
        at_.fill(-1);
        for (std::size_t k = 0; k < units.size(); ++k)
            at_[units[k].pos] = static_cast<int>(k);
        for (std::size_t clan = 0; clan < players.size(); ++clan) {
            const Unit* found = unit(static_cast<int>(clan));
            if (!found || !found->ghost || found->player != found->id)
                throw detail::Unreadable("a clan without its ghost");
        }
        books.clear();
        books_.fill(0);
        for (const Words& words : facts["book"]) {
            detail::of_size(words, 2, 2);
            const Cell cell = at_.place(words[0], words[1]);
            detail::insert_sorted(books, cell);
            books_[cell] = 1;
        }
        const Words his = detail::first(facts, "voldemort", 2);
        voldemort = at_.place(his[0], his[1]);
        spell_ingredients = detail::to_ints(detail::first(facts, "spell", 15));
        strength = detail::to_ints(detail::first(facts, "strength", players.size()));
        score = detail::to_ints(detail::first(facts, "score", players.size()));
        status = detail::to_doubles(detail::first(facts, "status", players.size()));
    }

  private:
    static char mark(const std::vector<std::string>& cells, Cell cell) {
        return cells[static_cast<std::size_t>(cell.i)][static_cast<std::size_t>(cell.j)];
    }

    std::vector<std::string> corridor_;
    Grid<int> at_;  // of each cell, the index of the unit on it, -1: none
    Grid<char> books_;
};

/// A match of Crematoria (docs/rules/crematoria.md). Columns are circular on both levels: 79 and 0
/// are neighbours. The helpers know; your own arithmetic must.
class Crematoria : public State {
  public:
    /// The directions; `top` is a row up, `up` a level up. `lanista::Crematoria::bottom`.
    enum Dir { bottom, br, right, rt, top, tl, left, lb, up, down, none };

    /// What a unit can be.
    enum Type : char { pioneer = 'p', furyan = 'f', necromonger = 'n', hellhound = 'h' };

    /// A way out of a cell.
    struct Way {
        Dir d;   ///< the direction
        Pos to;  ///< the position it leads to
    };

    /// A living unit; a descending necromonger too.
    struct Unit {
        int id = -1;          ///< it never changes
        Type type = pioneer;  ///< what it is
        int player = -1;      ///< who it belongs to; -1: nobody
        int health = 0;       ///< a hellhound's is -1, for it is immortal
        int turns = -1;  ///< above 0: a necromonger that descends there and isn't on the board yet
        Pos pos;         ///< where it is

        friend bool operator<(const Unit& a, const Unit& b) { return a.id < b.id; }
    };

    /// How to look for ways.
    struct Search {
        std::vector<Pos> blocked = {};       ///< positions to go around, beside the rock
        int within = no_way;                 ///< steps to look at, at most
        std::vector<int> levels = {0, 1};    ///< where ways may lead; {0}: underground alone
    };

    int rows = 0;       ///< the board's height in cells
    int cols = 0;       ///< its width
    int nb_rounds = 0;  ///< the rounds of the whole match
    std::vector<Cell> elevators;  ///< where they are, the same on both levels, row by row
    /// The rows of level 0, a character a cell: `R` rock, `E` an elevator, `C` a cave or the player
    /// that owns it.
    std::vector<std::string> own;
    std::vector<Unit> units;  ///< every living unit, in order of ids
    std::vector<Pos> gems;    ///< where gems lie, on level 1, row by row
    int sun = 0;  ///< the first of the sunlit columns of level 1; they are half of all, circular
    std::vector<int> nb_cells;   ///< of each player, the caves it owns now
    std::vector<int> nb_gems;    ///< of each player, the gems it ever picked
    std::vector<int> points;     ///< of each player: cells, and gems at their value
    std::vector<double> status;  ///< of each player, its share of the match's time used; -1: out

    /// The round that is asked for, from 0: the turn.
    int round() const { return turn; }

    /// Our own number: the seat.
    int me() const { return seat; }

    /// Of each player; another word for `points`.
    const std::vector<int>& score() const { return points; }

    /// The living unit of an id; null if there is none. It is valid until the next turn.
    const Unit* unit(int id) const {
        std::size_t from = 0, to = units.size();
        while (from < to) {
            const std::size_t middle = (from + to) / 2;
            if (units[middle].id < id)
                from = middle + 1;
            else
                to = middle;
        }
        return from < units.size() && units[from].id == id ? &units[from] : nullptr;
    }

    /// The pioneers of a player, by id.
    std::vector<Unit> pioneers(int player) const { return of(pioneer, player); }

    /// The furyans of a player, by id.
    std::vector<Unit> furyans(int player) const { return of(furyan, player); }

    /// The living necromongers, the descending ones too, by id.
    std::vector<Unit> necromongers() const { return of(necromonger, -1); }

    /// The hellhounds, by id.
    std::vector<Unit> hellhounds() const { return of(hellhound, -1); }

    /// Whether the position lies on the board.
    bool pos_ok(Pos pos) const { return at_.has(pos); }

    /// Whether units can stand there: on the board and no rock.
    bool passable(Pos pos) const {
        return pos_ok(pos) && (pos.k == 1 || mark(caves_, {pos.i, pos.j}) != 'R');
    }

    /// Whether there is an elevator at that row and column.
    bool elevator(Cell cell) const { return lifts_.has(cell) && lifts_[cell]; }

    /// Whether level 0 has a cave there, which can be owned; false outside the board.
    bool cave(Cell cell) const { return lifts_.has(cell) && mark(caves_, cell) == 'C'; }

    /// The player that owns a cell of level 0; -1: nobody, as rock, elevators and outside the
    /// board.
    int owner(Cell cell) const {
        if (!lifts_.has(cell)) return -1;
        const char owned = mark(own, cell);
        return owned >= '0' && owned <= '9' ? owned - '0' : -1;
    }

    /// The unit on a cell; null if there is none, or a necromonger that still descends. It is valid
    /// until the next turn.
    const Unit* unit_at(Pos pos) const {
        return pos_ok(pos) && at_[pos] >= 0 ? &units[static_cast<std::size_t>(at_[pos])] : nullptr;
    }

    /// Whether the cell is sunlit now, so that who steps there dies.
    bool daylight(Pos pos) const {
        return pos.k == 1 && detail::modulo(pos.j - sun, cols) < cols / 2;
    }

    /// How many rounds who stands there outlives in place: 0 in the sun and before sunrise.
    ///
    /// The sun takes two columns at the end of each round (docs/rules/crematoria.md 5), so after a
    /// step to a cell with 0 of them, the unit burns in this very round.
    int rounds_of_night(Pos pos) const {
        const int night = detail::modulo(pos.j - sun - cols / 2, cols);
        return night < cols / 2 ? night / 2 : 0;
    }

    /// Steps between two positions as if there were no rock: circular Chebyshev, no levels.
    int distance(Pos a, Pos b) const {
        const int down_rows = std::abs(a.i - b.i), across = std::abs(a.j - b.j);
        const int around = across < cols - across ? across : cols - across;
        return down_rows > around ? down_rows : around;
    }

    /// Of a direction, the position it leads to around the edge, on the board or not.
    Pos step(Pos from, Dir d) const {
        static constexpr int steps[11][3] = {{1, 0, 0},   {1, 1, 0},  {0, 1, 0},  {-1, 1, 0},
                                             {-1, 0, 0},  {-1, -1, 0}, {0, -1, 0}, {1, -1, 0},
                                             {0, 0, 1},   {0, 0, -1}, {0, 0, 0}};
        return {from.i + steps[d][0], detail::modulo(from.j + steps[d][1], cols),
                from.k + steps[d][2]};
    }

    /// The ways out of a cell: each direction open to a unit, and the position it leads to.
    ///
    /// `up` and `down` are among them on elevators. Whether units, sun or hellhounds are there is
    /// another question.
    std::vector<Way> neighbours(Pos pos) const {
        std::vector<Way> ways;
        ways.reserve(10);
        for (int d = 0, end = ways_from(pos); d < end; ++d) {
            const Pos to = step(pos, Dir(d));
            if (passable(to)) ways.push_back({Dir(d), to});
        }
        return ways;
    }

    /// Of each position, how many steps it is from the nearest goal, around rock and by elevators;
    /// goals outside the board count for nothing.
    Distances<Pos> distances(const std::vector<Pos>& goals, const Search& search) const {
        Grid<char> blocked(rows, cols, 2, 0);
        for (const Pos pos : search.blocked)
            if (blocked.has(pos)) blocked[pos] = 1;
        bool open[2] = {false, false};
        for (const int level : search.levels)
            if (level == 0 || level == 1) open[level] = true;
        Distances<Pos> steps(rows, cols, 2);
        steps.search(goals, search.within, [&](const Pos pos, const int next) {
            for (int d = 0, end = ways_from(pos); d < end; ++d) {
                const Pos to = step(pos, Dir(d));
                if (passable(to) && open[to.k] && !blocked[to]) steps.reach(to, next);
            }
        });
        return steps;
    }
    /// The same on both levels, around rock alone.
    Distances<Pos> distances(const std::vector<Pos>& goals) const {
        return distances(goals, Search());
    }

    /// Reads the lines that describe a match; for `Arena`.
    Crematoria(std::string match_id, Facts start) : State(std::move(match_id), std::move(start)) {
        const Cell size = detail::to_cell(detail::first(start_facts, "size"));
        rows = size.i;
        cols = size.j;
        nb_rounds = detail::to_int(settings["nb_rounds"]);
        caves_ = own = detail::board(start_facts, "row", rows, cols);
        at_ = Grid<int>(rows, cols, 2, -1);
        lifts_ = Grid<char>(rows, cols, 1, 0);
        for (const Words& words : start_facts["elevator"]) {
            detail::of_size(words, 2, 2);
            const Cell cell = lifts_.place(words[0], words[1]);
            detail::insert_sorted(elevators, cell);
            lifts_[cell] = 1;
        }
    }

    /// Takes the lines of a turn; for `Arena`.
    void update(int number, Facts lines) override {
        State::update(number, std::move(lines));
        own = detail::board(facts, "own", rows, cols);
        detail::first(facts, "unit");
        units.clear();
        for (const Words& words : facts["unit"]) {
            detail::of_size(words, 8, 8);
            Unit unit;
            unit.id = detail::to_int(words[0]);
            unit.type = Type(words[1][0]);
            unit.player = words[2] == "-1" ? -1 : detail::below(words[2], players.size());
            unit.health = detail::to_int(words[3]);
            unit.turns = detail::to_int(words[4]);
            const Cell cell = lifts_.place(words[5], words[6]);
            unit.pos = {cell.i, cell.j, detail::below(words[7], 2)};
            detail::insert_sorted(units, unit);
        }
        at_.fill(-1);
        for (std::size_t k = 0; k < units.size(); ++k)
            if (units[k].turns <= 0) at_[units[k].pos] = static_cast<int>(k);
        gems.clear();
        for (const Words& words : facts["gem"]) {
            detail::of_size(words, 2, 2);
            const Cell cell = lifts_.place(words[0], words[1]);
            detail::insert_sorted(gems, Pos{cell.i, cell.j, 1});
        }
        sun = detail::below(detail::first(facts, "sun", 1)[0], static_cast<std::size_t>(cols));
        nb_cells = detail::to_ints(detail::first(facts, "cells", players.size()));
        nb_gems = detail::to_ints(detail::first(facts, "gems", players.size()));
        points = detail::to_ints(detail::first(facts, "score", players.size()));
        status = detail::to_doubles(detail::first(facts, "status", players.size()));
    }

  private:
    static char mark(const std::vector<std::string>& cells, Cell cell) {
        return cells[static_cast<std::size_t>(cell.i)][static_cast<std::size_t>(cell.j)];
    }

    /// The directions before this one may lead somewhere.
    Dir ways_from(Pos pos) const { return elevator({pos.i, pos.j}) ? none : up; }

    std::vector<Unit> of(Type type, int player) const {
        std::vector<Unit> found;
        const bool owned = type == pioneer || type == furyan;
        for (const Unit& unit : units)
            if (unit.type == type && (!owned || unit.player == player)) found.push_back(unit);
        return found;
    }

    std::vector<std::string> caves_;
    Grid<int> at_;  // of each position, the index of the unit on it, -1: none
    Grid<char> lifts_;
};

// -- the connection -------------------------------------------------------------------------------

namespace detail {

constexpr const char* default_host = "127.0.0.1";
constexpr int default_port = 7777;
constexpr int connect_timeout = 10'000;             // milliseconds
constexpr int shortest_pause = 500;                 // milliseconds, between attempts to connect
constexpr int longest_pause = 60'000;
constexpr std::size_t read_buffer = 1 << 16;        // bytes; a turn of a big map comes in one read
constexpr std::size_t most_unasked = 8 << 20;       // bytes that the arena sends from one `go` to
                                                    // the next (PROTOCOL.md 3)
constexpr std::size_t log_piece = 1 << 13;          // code points, at most 4 bytes each: within the
                                                    // 65,536 bytes of a line (PROTOCOL.md 1)

/// A variable of the environment; empty counts as unset.
inline std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// Whether the same bot would fare no better after this code: "no" in the table of PROTOCOL.md 7.
inline bool is_final(std::string_view code) {
    for (const std::string_view final_code :
         {"bad-hello", "unknown-game", "unknown-version", "bad-token", "name-taken", "replaced",
          "not-utf8", "line-too-long", "flood", "too-many-submoves", "unreadable"})
        if (code == final_code) return true;
    return false;
}

/// Makes a pause of so many milliseconds; tests put another function in its place.
inline void (*pause)(int) = [](int milliseconds) { ::poll(nullptr, 0, milliseconds); };

/// How long the bot waits for an opponent until that is told, in milliseconds; tests shorten it.
inline int silence = 1000;

/// A number from 0 to 1 that differs from process to process and from call to call. It doesn't
/// touch std::rand, whose numbers the bot may want to repeat.
inline double some_share() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    std::uint32_t mixed = static_cast<std::uint32_t>(now.tv_nsec / 100);
    mixed ^= static_cast<std::uint32_t>(::getpid()) * 2654435761U;
    mixed = (mixed ^ (mixed >> 15)) * 2246822519U;
    return (mixed >> 16) / 65535.0;
}

/// A socket: whole lines in, bytes out. It closes it.
class Connection {
  public:
    explicit Connection(int socket) : socket_(socket), buffer_(read_buffer) {}
    ~Connection() { close(); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// The next line without its newline, until the next call; none at the end of the connection or
    /// if it `is_exhausted()`, where an unfinished line is dropped.
    std::optional<std::string_view> line() {
        std::size_t seen = from_;
        while (true) {
            const void* end =
                seen < to_ ? std::memchr(buffer_.data() + seen, '\n', to_ - seen) : nullptr;
            if (end) {
                const char* begin = buffer_.data() + from_;
                const auto length = static_cast<std::size_t>(static_cast<const char*>(end) - begin);
                from_ += length + 1;
                return std::string_view(begin, length);
            }
            if (from_ > 0) {  // make room behind
                std::memmove(buffer_.data(), buffer_.data() + from_, to_ - from_);
                to_ -= from_;
                from_ = 0;
            }
            seen = to_;
            if (to_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
            const std::size_t room = std::min(buffer_.size() - to_, left_);
            ssize_t got = 0;
            do
                got = ::recv(socket_, buffer_.data() + to_, room, 0);
            while (got < 0 && errno == EINTR);
            if (got <= 0) return {};  // a reset too: what came before it has been used
            to_ += static_cast<std::size_t>(got);
            left_ -= static_cast<std::size_t>(got);
        }
    }

    /// Lets `most_unasked` more bytes come.
    void allow() { left_ = most_unasked; }

    /// Whether as many bytes have come as were allowed.
    bool is_exhausted() const { return left_ == 0; }

    /// Whether nothing comes for so many milliseconds; what comes stays to be read.
    bool is_silent(int milliseconds) const {
        if (from_ < to_) return false;
        pollfd waiting{socket_, POLLIN, 0};
        int ready = 0;
        do
            ready = ::poll(&waiting, 1, milliseconds);
        while (ready < 0 && errno == EINTR);
        return ready == 0;
    }

    /// Sends all of a text, in one call if the system takes it at once.
    ///
    /// A connection that is lost is told by the next line: what the arena said before it closed
    /// waits to be read, and says why.
    void write(std::string_view text) {
#ifdef MSG_NOSIGNAL
        constexpr int flags = MSG_NOSIGNAL;
#else
        constexpr int flags = 0;
#endif
        while (!text.empty()) {
            const ssize_t sent = ::send(socket_, text.data(), text.size(), flags);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0) return;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    /// The bytes that were received and aren't used, until the next call of `line()`.
    std::string_view unused() const { return {buffer_.data() + from_, to_ - from_}; }

    /// Replaces the unused bytes, by those of another object with this socket.
    void set_unused(std::string_view bytes) {
        buffer_.assign(bytes.begin(), bytes.end());
        buffer_.resize(std::max(bytes.size(), read_buffer));
        from_ = 0;
        to_ = bytes.size();
    }

    /// Goes on with another socket, the last one being closed.
    void open(int socket) {
        socket_ = socket;
        from_ = to_ = 0;
    }

    /// Closes the socket; once more does no harm.
    void close() {
        if (socket_ >= 0) ::close(socket_);
        socket_ = -1;
    }

  private:
    int socket_;
    std::vector<char> buffer_;
    std::size_t from_ = 0, to_ = 0;  // what of the buffer has come and isn't used
    std::size_t left_ = most_unasked;  // bytes that may still come
};

/// Waits until a socket that is connecting is connected; else errno says why not.
inline bool connected(int socket) {
    pollfd waiting{socket, POLLOUT, 0};
    int ready = 0;
    do
        ready = ::poll(&waiting, 1, connect_timeout);
    while (ready < 0 && errno == EINTR);
    if (ready < 0) return false;
    int why = ready == 0 ? ETIMEDOUT : 0;
    socklen_t size = sizeof why;
    if (ready > 0 && ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &why, &size) < 0) return false;
    errno = why;
    return why == 0;
}

/// Host and port as one word; an IPv6 address is put in brackets.
inline std::string address(const std::string& host, int port) {
    const std::string place = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return place + ":" + std::to_string(port);
}

/// Why there is no connection, and what to do; the words are the same in every client library.
inline std::string no_arena(const std::string& host, int port, const std::string& why) {
    const std::string words = "no arena at " + address(host, port);
    const bool here = host == "127.0.0.1" || host == "localhost" || host == "::1";
    if (here && why == "connection refused") return words + "; start one with `lanista serve`";
    return words + ": " + why + "; check the host and the port";
}

/// Why a connection failed, by errno.
inline std::string reason(int number) {
    if (number == ECONNREFUSED) return "connection refused";
    return number == ETIMEDOUT ? "timed out" : std::strerror(number);
}

/// A blocking socket with a connection to the arena, with TCP_NODELAY. Throws ArenaError
/// (`unreachable`).
inline int connect(const std::string& host, int port) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int failure = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    std::string why = "unknown host";
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(
        failure ? nullptr : found, [](addrinfo* first) {
            if (first) ::freeaddrinfo(first);
        });
    for (const addrinfo* at = addresses.get(); at; at = at->ai_next) {
        const int socket = ::socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (socket >= 0) {
            const int flags = ::fcntl(socket, F_GETFL);
            const int yes = 1;
            ::fcntl(socket, F_SETFD, FD_CLOEXEC);
            ::fcntl(socket, F_SETFL, flags | O_NONBLOCK);
#ifdef SO_NOSIGPIPE
            ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
            if (::connect(socket, at->ai_addr, at->ai_addrlen) == 0 ||
                (errno == EINPROGRESS && connected(socket))) {
                ::fcntl(socket, F_SETFL, flags);
                ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
                return socket;
            }
        }
        why = reason(errno);
        if (socket >= 0) ::close(socket);
    }
    throw ArenaError("unreachable", no_arena(host, port, why));
}

/// Has the system end a connection if the other machine is gone for two minutes. Otherwise a bot
/// that waits for its next match would wait for ever, and one that has just sent an answer for 15
/// minutes.
inline void notice_silence(int socket) {
    const auto set = [socket](int level, int option, int value) {
        ::setsockopt(socket, level, option, &value, sizeof value);
    };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    set(IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 20);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
#ifdef TCP_USER_TIMEOUT
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 120'000);
#endif
}

/// A name, an option or a variable of the environment can't be used; `what()` says what would be
/// right. If nothing catches it, the bot ends with that one line.
class OptionError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

/// The options that hold: where LANISTA_LOCAL=1 says that the bot is started by Lanista itself, not
/// those by which it finds another arena.
inline Options holding(Options options) {
    if (environment("LANISTA_LOCAL") == "1") {
        options.host.clear();
        options.port.reset();
        options.token.clear();
        options.room.reset();
        options.reconnect = false;
    }
    return options;
}

/// The line that opens the conversation (PROTOCOL.md 2). Throws OptionError if the name or an option
/// would not survive the way.
inline std::string hello(const Options& options) {
    const std::string name = options.name.empty() ? environment("LANISTA_NAME") : options.name;
    if (name.empty())
        throw OptionError(
            "the bot has no name: write lanista::Arena arena({\"MyBot\"}) or set LANISTA_NAME");
    const std::size_t length = printable_length(name);
    if (length < 1 || length > 32 || name.find('=') != std::string::npos || name[0] == ' ' ||
        name.back() == ' ' || name.find("  ") != std::string::npos)
        throw OptionError(
            "a name is 1 to 32 printable characters, single spaces between, no '=': not " +
            detail::quoted(name));
    std::string line = name + " v=1";
    const auto say = [&line](const std::string& option, const std::string& word) {
        if (printable_length(word) == 0 || word.find(' ') != std::string::npos) {
            const std::string given = option == "token" ? "" : ", not " + detail::quoted(word);
            throw OptionError(  // without the token, which is a secret
                option + " must be one printable word without spaces" + given);
        }
        line += " " + option + "=" + word;
    };
    const std::string token =
        options.token.empty() ? environment("LANISTA_TOKEN") : options.token;
    if (options.game) say("game", *options.game);
    if (options.room) say("room", *options.room);
    if (options.seat) say("seat", std::to_string(*options.seat));
    if (!token.empty()) say("token", token);
    if (options.keep) say("keep", "1");
    if (options.notes) say("notes", "1");
    return line + "\n";
}

/// Whether not to tell that the bot waits.
inline bool quiet(const Options& options) {
    const std::string set = environment("LANISTA_QUIET");
    return options.quiet.value_or(!set.empty() && set != "0");
}

/// What a person who started the bot reads while it waits. Hello is the line that opened the
/// conversation, taken the words of the arena's `wait`: seats taken and seats needed.
inline std::string waiting(const std::string& where, std::string_view hello, const Words& taken) {
    std::string wanted;
    for (std::size_t at = 0; at < hello.size();) {
        const std::size_t end = std::min(hello.find_first_of(" \n", at), hello.size());
        const std::string_view word = hello.substr(at, end - at);
        for (const std::string_view key : {"game", "room"})
            if (word.substr(0, 5) == std::string(key) + "=")
                wanted += std::string(key) + " " + std::string(word.substr(5)) + ", ";
        at = end + 1;
    }
    return "lanista: waiting for an opponent at " + where + " (" + wanted +
           escaped(taken[0] + " of " + taken[1]) +
           " seats taken); the arena's page, whose address `lanista serve` prints, shows who is "
           "there\n";
}

/// What the person reads of a note: that the bot's room isn't a ladder, or that it has to rest;
/// nothing of any other.
inline std::string told(const Note& note) {
    if (note.code != "room" && note.code != "benched") return "";
    std::string line = "lanista: ";
    if (note.code == "benched")
        line += note.turn == 0 ? "benched: " : "benched for " + std::to_string(note.turn) + " s: ";
    return line + escaped(note.words) + "\n";
}

inline std::string host(const Options& options) {
    const std::string place = options.host.empty() ? environment("LANISTA_HOST") : options.host;
    return place.empty() ? default_host : place;
}

/// Throws OptionError if it is no port.
inline int port(const Options& options) {
    const std::string set = environment("LANISTA_PORT");
    const char* whose = options.port ? "port" : "LANISTA_PORT";
    const std::string text = options.port ? std::to_string(*options.port)
                             : set.empty() ? std::to_string(default_port)
                                           : set;
    constexpr const char* blanks = " \t\r\n";  // as a file with the variables may leave them
    const std::string left = text.substr(std::min(text.find_first_not_of(blanks), text.size()));
    const std::optional<double> value = number(left.substr(0, left.find_last_not_of(blanks) + 1));
    if (text.find('.') != std::string::npos || !value || *value < 1 || *value > 65535)
        throw OptionError(std::string(whose) +
                          " must be a port number from 1 to 65535, such as 7777, not " +
                          (options.port ? text : quoted(text)));
    return static_cast<int>(*value);
}

/// Throws OptionError if the environment asks for TLS: the token isn't to be sent in plain text to an
/// arena that was meant to be reached by TLS.
inline void refuse_tls() {
    const std::string set = environment("LANISTA_TLS");
    if (!set.empty() && set != "0")
        throw OptionError(
            "LANISTA_TLS is " + detail::quoted(set) +
            ", but this library speaks plain text alone: run socat or stunnel beside the bot "
            "(README.md, \"TLS\"), connect to that, and set LANISTA_TLS=0");
}

/// Throws ArenaError (`unreachable`) where Lanista has connected the bot's stdin and stdout already.
inline void refuse_stdio() {
    if (environment("LANISTA_STDIO") == "1")
        throw ArenaError("unreachable",
                         "this program connects to the arena by itself; start it without `stdio:` "
                         "or `lanista connect`");
}

/// Has an ArenaError or OptionError that nothing catches shown in one line. Whatever else isn't
/// caught goes to the handler that was there before.
inline void show_in_one_line() {
    static const std::terminate_handler before = std::set_terminate([] {
        const auto end = [](const std::exception& error) {
            std::fflush(stdout);
            std::fprintf(stderr, "%s\n", error.what());
            std::_Exit(1);
        };
        if (const std::exception_ptr uncaught = std::current_exception()) try {
                std::rethrow_exception(uncaught);
            } catch (const ArenaError& error) {
                end(error);
            } catch (const OptionError& error) {
                end(error);
            } catch (...) {
            }
        before();
    });
}

/// Whether a line of a text ends with this character.
inline bool breaks_line(long point) {
    return (point >= 0x0A && point <= 0x0D) || (point >= 0x1C && point <= 0x1E) || point == 0x85 ||
           point == 0x2028 || point == 0x2029;
}

/// A text as log lines (PROTOCOL.md 4): each begins with `# ` and is short enough, all is UTF-8.
inline std::string log_lines(std::string_view text) {
    std::string lines = "# ";
    std::size_t length = 0;
    bool open = true;  // a line was begun that the text hasn't ended
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t from = at;
        const long point = code_point(text, at);
        if (!open) lines += "# ";
        open = !breaks_line(point);
        if (!open) {
            if (point == '\r' && at < text.size() && text[at] == '\n') ++at;
            lines += '\n';
            length = 0;
            continue;
        }
        if (length++ == log_piece) {
            lines += "\n# ";
            length = 1;
        }
        if (point >= 0)
            lines += text.substr(from, at - from);
        else
            append_escaped(lines, text.substr(from, at - from));
    }
    return open ? lines + "\n" : lines;
}

/// Words as a log line that draws (PROTOCOL.md 9): whatever would end it or can't be seen is a
/// space, and what isn't UTF-8 is escaped. One that is cut is too long to be drawn, so half a number
/// never draws anything.
inline std::string drawing_line(std::string_view words) {
    std::string line = "#@ ";
    std::size_t length = 0;
    for (std::size_t at = 0; at < words.size() && length < log_piece; ++length) {
        const std::size_t from = at;
        const long point = code_point(words, at);
        if (point < 0)
            append_escaped(line, words.substr(from, at - from));
        else if (printable(point))
            line += words.substr(from, at - from);
        else
            line += ' ';
    }
    return line + "\n";
}

}  // namespace detail

/// Shows something on the board of whoever may see the bot's log (PROTOCOL.md 9), in the present
/// turn: `arena.draw().cell({3, 4}, "red")`.
///
/// A colour is `own` (the seat's), `red`, `orange`, `yellow`, `green`, `blue`, `pink`, `gray`, `ink`
/// (dark on light, light on dark) or `#rrggbb`. Each call is sent at once, as log lines: the arena
/// keeps 16 KiB a turn. Nothing is checked: whoever shows the board remarks beside a line what is
/// wrong with it, so that drawing never costs a match.
class Draw {
  public:
    /// For Arena.
    explicit Draw(detail::Connection& connection) : connection_(connection) {}

    /// Marks a cell.
    void cell(Place place, std::string_view colour = "own") { cells({place}, colour); }

    /// Marks cells; one call for many needs less of the log than many calls.
    void cells(const std::vector<Place>& places, std::string_view colour = "own") {
        points("cell", 1, places, colour);
    }

    /// Draws a line from place to place; where it changes the level, it begins anew.
    void line(const std::vector<Place>& places, std::string_view colour = "own") {
        points("line", 2, places, colour);
    }

    /// Draws a line as `line` does, with an arrowhead at its end.
    void arrow(const std::vector<Place>& places, std::string_view colour = "own") {
        points("arrow", 2, places, colour);
    }

    /// Writes a text of up to 80 characters that begins at a cell.
    void text(Place place, std::string_view text, std::string_view colour = "own") {
        std::string words = "text" + numbers(place) + level(place) + " ";
        words += colour;
        words += ' ';
        words += text;
        write(words);
    }

    /// Gives the number of this turn for the curve of that name (of `A-Z a-z 0-9 . _ -`).
    void value(std::string_view name, double number) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.15g", number);
        for (char& digit : digits)  // as some locales have it
            if (digit == ',') digit = '.';
        std::string words = "value ";
        words += name;
        words += ' ';
        words += digits;
        write(words);
    }

  private:
    /// Draws by as many lines of the log as there are changes of the level.
    void points(const char* kind, std::size_t least, const std::vector<Place>& places,
                std::string_view colour) {
        for (std::size_t from = 0, to = 0; from < places.size(); from = to) {
            std::string words = kind;
            for (to = from; to < places.size() && places[to].k == places[from].k; ++to)
                words += numbers(places[to]);
            words += level(places[from]) + " ";
            words += colour;
            if (to - from >= least) write(words);
        }
    }

    static std::string numbers(Place place) {
        return " " + std::to_string(place.i) + " " + std::to_string(place.j);
    }

    static std::string level(Place place) {
        return place.k < 0 ? "" : " " + std::to_string(place.k);
    }

    void write(const std::string& words) { connection_.write(detail::drawing_line(words)); }

    detail::Connection& connection_;
};

/// A connection to the arena. Each `next()` waits for a turn that asks for an answer, and each such
/// turn is answered by one `send(moves)`:
///
///     lanista::Arena arena({"MyBot", "hogwarts"});
///     while (arena.next()) arena.send(my_moves(arena.hogwarts()));
///
/// It is closed when the object goes.
class Arena {
  public:
    /// Connects and says the name.
    ///
    /// Throws std::invalid_argument if there is no name, an option can't be said in a hello, or
    /// LANISTA_TLS asks for TLS; and, without `reconnect`, ArenaError (`unreachable`).
    explicit Arena(const Options& options = {})
        : Arena((detail::show_in_one_line(), detail::holding(options)), nullptr) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

  private:
    Arena(const Options& options, std::nullptr_t)
        : hello_(detail::hello(options)),
          host_(detail::host(options)),
          port_(detail::port(options)),
          game_(options.game),
          keep_(options.keep),
          reconnect_(options.reconnect),
          quiet_(detail::quiet(options)) {
        detail::refuse_tls();
        detail::refuse_stdio();
        try {
            connect();
        } catch (const ArenaError& error) {
            if (!reconnect_) throw;
            connect_again(error);
        }
    }

  public:
    /// Waits for the next turn that asks for an answer; its state, or null when the match, with
    /// `keep` the connection, has ended as it should.
    ///
    /// The same object comes again each turn, brought up to date, and another one in the next match
    /// (`keep`), when the last one is gone. Throws ArenaError if the match ended otherwise, and
    /// MisuseError if the last turn wasn't answered.
    State* next() {
        if (owes_)
            throw MisuseError("turn " + std::to_string(state_->turn) +
                              " wasn't answered: every state needs one arena.send(moves), "
                              "arena.send({}) to do nothing");
        connection_.allow();
        while (!over_) {
            const std::optional<std::string_view> line = connection_.line();
            try {
                line ? take(*line) : closed();
            } catch (const detail::Unreadable&) {
                over_ = true;
                throw ArenaError("unreadable",
                                 "the client can't use " + detail::quoted(line.value_or("")));
            } catch (const ArenaError& error) {
                const bool played = !keep_ && !results_.empty();
                if (!reconnect_ || played || detail::is_final(error.code())) throw;
                connect_again(error);
            }
            if (owes_) return state_.get();
        }
        return nullptr;
    }

    /// The current match, also after its end (then the final position); null before one.
    State* state() const noexcept { return state_.get(); }

    /// The current match of Angry Mob. Throws MisuseError if there is no match, or it is of another
    /// game.
    AngryMob& angrymob() const { return of_game<AngryMob>("angrymob"); }

    /// The current match of Hogwarts, likewise.
    Hogwarts& hogwarts() const { return of_game<Hogwarts>("hogwarts"); }

    /// The current match of Crematoria, likewise.
    Crematoria& crematoria() const { return of_game<Crematoria>("crematoria"); }

    /// How each match that has ended did.
    const std::vector<Result>& results() const noexcept { return results_; }

    /// How the last match ended; null while none has.
    const Result* result() const noexcept { return results_.empty() ? nullptr : &results_.back(); }

    /// What the arena refused in the current match.
    const std::vector<Note>& notes() const noexcept { return notes_; }

    /// Answers the turn; no submoves at all is a valid answer.
    ///
    /// Throws MisuseError if this turn is answered already, or a word is neither an integer nor a
    /// letter. A connection that is lost meanwhile is told by `next()`, for the arena may have said
    /// why.
    void send(const Moves& moves = {}) {
        must_owe();
        line_.clear();
        for (const Move& move : moves)
            for (const Token& token : move) {
                if (!line_.empty()) line_ += ' ';
                const char letter = token.letter();
                if (!token.is_letter())
                    line_ += std::to_string(token.number());
                else if ((letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z'))
                    line_ += letter;
                else
                    throw MisuseError("not integers and letters of the game: " +
                                      detail::quoted({&letter, 1}));
            }
        answer();
    }

    /// Answers the turn by a ready line, the submoves one after another: `"m 4 2 m 5 0"`; for who
    /// writes very many.
    ///
    /// Throws MisuseError if this turn is answered already, or it isn't one line of printable ASCII
    /// that is no log.
    void send_line(std::string_view line) {
        must_owe();
        for (const char byte : line)
            if (byte < ' ' || byte > '~')
                throw MisuseError("not integers and letters of the game: " + detail::quoted(line));
        if (!line.empty() && line[0] == '#')
            throw MisuseError("not integers and letters of the game: " + detail::quoted(line));
        line_ = line;
        answer();
    }

    /// Has the arena keep a text with this turn; long lines are divided (PROTOCOL.md 4), and bytes
    /// that aren't UTF-8 are written `\x..`.
    ///
    /// It is sent at once, so that it isn't lost when the bot then fails. The arena keeps 16 KiB a
    /// turn.
    void log(std::string_view text) { connection_.write(detail::log_lines(text)); }

    /// Draws on the board of whoever may see this bot's log (PROTOCOL.md 9).
    Draw draw() { return Draw(connection_); }

    /// Closes the connection; in mid-match the arena takes that for a loss.
    void close() {
        over_ = true;
        owes_ = false;
        connection_.close();
    }

  protected:
    /// Speaks over a socket that is connected already, and of which it takes charge; it has no other.
    Arena(const Options& options, int socket)
        : hello_(detail::hello(options)),
          host_(detail::host(options)),
          port_(detail::port(options)),
          game_(options.game),
          keep_(options.keep),
          quiet_(detail::quiet(options)) {
        connection_.open(socket);
        connection_.write(hello_);
    }

    /// Has `next()` return null after the last score of a match, also with `keep`: the conversation
    /// goes on with `unused()`, which `set_unused` gives to another object.
    void stop_after_match() { one_match_ = true; }

    /// What was received after the last score.
    std::string_view unused() const { return connection_.unused(); }

    /// Goes on where another object with this connection stopped, before anything was received; that
    /// one has told that the bot waits.
    void set_unused(std::string_view bytes) {
        connection_.set_unused(bytes);
        waited_ = true;
    }

  private:
    void connect() {
        const int socket = detail::connect(host_, port_);
        detail::notice_silence(socket);
        connection_.open(socket);
        connection_.write(hello_);
    }

    /// Connects, as often as it takes (PROTOCOL.md 8); the match stays what it is.
    void connect_again(ArenaError error) {
        connection_.close();
        for (bool connected = false; !connected;) {
            const int pause = static_cast<int>(pause_ * (1 - detail::some_share() / 2));
            pause_ = std::min(2 * pause_, detail::longest_pause);
            std::fprintf(stderr, "lanista: %s; connecting again in %.1f s\n", error.what(),
                         pause / 1000.0);
            detail::pause(pause);
            try {
                connect();
                connected = true;
            } catch (const ArenaError& another) {
                error = another;
            }
        }
        over_ = false;
        turn_.reset();
        facts_.clear();
    }

    template <typename Game>
    Game& of_game(const char* name) const {
        if (!state_) throw MisuseError("there is no match yet: call arena.next() first");
        auto* game = dynamic_cast<Game*>(state_.get());
        if (!game)
            throw MisuseError("this match is of " + detail::escaped(state_->game) + ", not of " +
                              name + ": ask for the game in the options");
        return *game;
    }

    void must_owe() const {
        if (!owes_)
            throw MisuseError(
                "no turn asks for an answer: send once for each state, not before it");
    }

    void answer() {
        owes_ = false;
        line_ += '\n';
        connection_.write(line_);
    }

    void take(std::string_view line) {
        auto [keyword, words] = divide(line);
        if (keyword == "go") {
            position();
            owes_ = true;
        } else if (keyword == "turn") {
            const int number = detail::below(detail::of_size(words, 1)[0], INT_MAX);
            if (!state_) make_state();
            turn_ = number;
            facts_.clear();
        } else if (keyword == "start") {
            finish();
            pause_ = detail::shortest_pause;
            if (over_) return;
            if (match_ != detail::of_size(words, 1)[0]) {  // else we are back in it, after a break
                match_ = words[0];
                state_.reset();
                notes_.clear();
            }
            turn_.reset();
            facts_.clear();
        } else if (keyword == "note") {
            detail::of_size(words, 3);
            std::optional<int> index;
            if (words[2] != "-") index = detail::to_int(words[2]);
            notes_.push_back({words[0], detail::to_int(words[1]), index, detail::joined(words, 3)});
            if (!quiet_) std::fputs(detail::told(notes_.back()).c_str(), stderr);
        } else if (keyword == "end") {
            if (turn_) position();  // the final position, which has no `go`
            end_ = detail::of_size(words, 1)[0];
            facts_.clear();
        } else if (keyword == "wait") {
            finish();
            pause_ = detail::shortest_pause;
            tell_waiting(detail::of_size(words, 2));
        } else if (keyword == "bye") {
            finish();
            over_ = true;
            if (keep_ && reconnect_) throw ArenaError("disconnected", "the arena said bye");
        } else if (keyword == "error") {
            finish();
            over_ = true;
            throw ArenaError(detail::of_size(words, 1)[0], detail::joined(words, 1));
        } else {
            facts_.add(keyword, std::move(words));
            if (one_match_ && end_ && keyword == "score" &&
                facts_["score"].size() == facts_["rank"].size()) {
                finish();
                over_ = true;
            }
        }
    }

    /// Tells once that the bot waits, if the arena then says nothing for a second.
    void tell_waiting(const Words& taken) {
        if (quiet_ || waited_ || over_ || !connection_.is_silent(detail::silence)) return;
        waited_ = true;
        const std::string where = detail::address(host_, port_);
        std::fputs(detail::waiting(where, hello_, taken).c_str(), stderr);
    }

    /// The keyword of a line, and its other words.
    static std::pair<std::string_view, Words> divide(std::string_view line) {
        std::pair<std::string_view, Words> divided;
        std::size_t count = 0;
        for (const char byte : line) count += byte == ' ';
        divided.second.reserve(count);
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t from = at;
            while (at < line.size() && !space(line[at])) ++at;
            if (at > from && divided.first.empty())
                divided.first = line.substr(from, at - from);
            else if (at > from)
                divided.second.emplace_back(line.substr(from, at - from));
            ++at;
        }
        return divided;
    }

    static bool space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

    /// The connection has ended without `bye`: that is well between matches alone.
    void closed() {
        if (connection_.is_exhausted()) {
            over_ = true;
            throw ArenaError("unreadable", "the arena sent " +
                                               std::to_string(detail::most_unasked >> 20) +
                                               " MiB without asking for an answer");
        }
        finish();
        over_ = true;
        std::string words, advice;
        if (match_) {
            words = "the connection ended in mid-match";
            advice = "check that the arena is running, and start the bot again";
        } else if (results_.empty() || (keep_ && reconnect_)) {
            words = "the connection ended before a match";
            advice = "check that the arena is running, and that the port is the one for bots";
        } else {
            return;
        }
        throw ArenaError("disconnected", reconnect_ ? words : words + "; " + advice);
    }

    void make_state() {
        const std::string game = detail::first(facts_, "game", 1)[0];
        if (game != game_.value_or(game)) throw detail::Unreadable("another game");
        std::string match = match_.value_or("");
        if (game == "angrymob")
            state_ = std::make_unique<AngryMob>(std::move(match), std::move(facts_));
        else if (game == "hogwarts")
            state_ = std::make_unique<Hogwarts>(std::move(match), std::move(facts_));
        else if (game == "crematoria")
            state_ = std::make_unique<Crematoria>(std::move(match), std::move(facts_));
        else
            state_ = std::make_unique<State>(std::move(match), std::move(facts_));
        facts_ = Facts();
    }

    /// Gives the state the facts of the turn, complete now (their order says nothing).
    void position() {
        if (!turn_ || !state_) throw detail::Unreadable("a go without its turn");
        const int number = *turn_;
        turn_.reset();
        state_->update(number, std::move(facts_));
        facts_ = Facts();
    }

    /// Makes the result of a match whose `end`, ranks and scores have come.
    void finish() {
        if (!end_) return;
        results_.push_back({*end_, detail::ints_by_seat(facts_["rank"]),
                            detail::numbers_by_seat(facts_["score"])});
        match_.reset();
        end_.reset();
        over_ = !keep_;
    }

    std::string hello_, host_;
    int port_ = 0;
    std::optional<std::string> game_;  // the only one that it may be; none: any
    detail::Connection connection_{-1};
    bool keep_;
    bool reconnect_ = false;
    bool quiet_;           // whether nothing is told
    bool waited_ = false;  // whether it has been told that the bot waits
    int pause_ = detail::shortest_pause;  // milliseconds before the next attempt, at most
    bool one_match_ = false;
    bool owes_ = false;  // an answer to the last `go`
    bool over_ = false;
    std::optional<std::string> match_;  // its id, from `start` to the end of its scores
    std::optional<std::string> end_;    // why it ended, once `end` has come
    std::optional<int> turn_;           // a turn whose facts are still coming in
    Facts facts_;                       // where lines go whose keyword says nothing to `take`
    std::unique_ptr<State> state_;
    std::vector<Result> results_;
    std::vector<Note> notes_;
    std::string line_;  // the answer; kept for its memory
};

}  // namespace lanista

#endif
