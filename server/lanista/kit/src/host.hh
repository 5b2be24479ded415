// What the main programs of both games share: the orders of a round, what a player writes to cerr,
// and a match from its hello to its end. `lanista.hpp` and the game's own `Player.hh` are included
// before this.
//
// It is compiled apart from the player's file, and between the two there are only plain arrays,
// numbers and the virtual `play`: no macro of a player can change what is here, not even one that
// changes the layout of the library's containers.
#ifndef LANISTA_KIT_HOST_HH
#define LANISTA_KIT_HOST_HH

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <streambuf>
#include <string>
#include <vector>

#include <unistd.h>

namespace lanista_kit {

int seat = -1;
std::int64_t own_seed = 0;
std::int64_t seed() { return own_seed; }

/// Ends `play` at the 1001st order; no std::exception, so that a player's own handlers let it pass.
struct TooManyOrders {};

/// The orders of a round as the answer's line.
class Orders {
 public:
  void clear() {
    line_.clear();
    count_ = 0;
  }

  /// Adds an order: its letter, if it has one, and its numbers.
  ///
  /// Every order is sent, also those that say nothing: the arena judges them by the rules. At the
  /// 1001st, which puts the player out (PROTOCOL.md 4), `play` ends.
  void add(char letter, std::initializer_list<int> numbers, const int* more = nullptr,
           int count = 0) {
    if (count_ > most) throw TooManyOrders();
    if (letter != 0) {
      word();
      line_ += letter;
    }
    for (const int number : numbers) add_number(number);
    for (int at = 0; at < count; ++at) add_number(more[at]);
    if (++count_ > most) throw TooManyOrders();
  }

  const std::string& line() const { return line_; }

 private:
  static constexpr int most = 1000;
  std::string line_;
  int count_ = 0;

  void word() {
    if (!line_.empty()) line_ += ' ';
  }

  void add_number(int number) {
    word();
    char digits[12];
    line_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
};

inline Orders orders;

/// Where cerr and clog lead: to stderr, at once as ever, and to the log of the turn.
class Ear : public std::streambuf {
 public:
  /// What was written since the last call; what is more than the arena keeps of a turn is missing.
  std::string take() {
    sync();
    std::string taken;
    taken.swap(log_);
    return taken;
  }

 protected:
  int overflow(int byte) override {
    if (byte != traits_type::eof()) {
      const char written = static_cast<char>(byte);
      xsputn(&written, 1);
    }
    return 0;
  }

  std::streamsize xsputn(const char* text, std::streamsize size) override {
    unwritten_.append(text, static_cast<std::size_t>(size));
    if (unwritten_.size() > 4096) sync();
    return size;
  }

  int sync() override {
    const char* rest = unwritten_.data();
    std::size_t size = unwritten_.size();
    log_.append(unwritten_, 0, std::min(size, log_limit - log_.size()));
    while (size > 0) {
      const ssize_t wrote = ::write(STDERR_FILENO, rest, size);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) break;  // nobody listens
      rest += wrote;
      size -= static_cast<std::size_t>(wrote);
    }
    unwritten_.clear();
    return 0;
  }

 private:
  /// Bytes: a little more than the 16 KiB that the arena keeps, so that it says what it dropped.
  static constexpr std::size_t log_limit = 20000;
  std::string unwritten_, log_;
};

/// The text of the exception that is being handled.
inline std::string present_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (const std::string& text) {
    return text;
  } catch (const char* text) {
    return text;
  } catch (...) {
    return "something that is no std::exception";
  }
}

/// Plays one match.
///
/// Args:
///   game: the ruleset's name.
///   take: gives the state of a turn to the player's side.
/// Returns the exit code: 0 when the match ended as it should; else 1, and stderr says why.
inline int host(const char* game, void (*take)(const lanista::Arena&)) {
  // A reader of stderr that has gone is no reason to die in mid-match.
  std::signal(SIGPIPE, SIG_IGN);
  // Neither is ever deleted: the one serves till the last line of the process, and of the other
  // nobody but its author knows whether it can be.
  static Ear& ear = *new Ear;
  static Player* player = nullptr;
  std::cerr.rdbuf(&ear);
  std::clog.rdbuf(&ear);

  std::string name = lanista::detail::environment("LANISTA_NAME");
  if (name.empty()) name = std::string(player_name).substr(0, 32);
  try {
    lanista::Arena arena({name, game});
    while (const lanista::State* state = arena.next()) {
      seat = state->seat;
      own_seed = state->seed;
      take(arena);
      try {
        if (player == nullptr) player = make_player();
        orders.clear();
        player->play();
      } catch (const TooManyOrders&) {
        // The answer goes out with all 1001, and the arena says what follows.
      } catch (...) {
        std::cerr << name << ": round " << state->turn
                  << ": the player ended by an exception: " << present_exception() << std::endl;
        arena.log(ear.take());
        return 1;
      }
      const std::string said = ear.take();
      if (!said.empty()) arena.log(said);
      arena.send_line(orders.line());
    }
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << std::endl;
    return 1;
  }
  return 0;
}

/// Copies at most so many numbers, as many as there are players.
template <typename Number, std::size_t size>
void copy(const std::vector<Number>& from, Number (&to)[size]) {
  std::copy_n(from.begin(), std::min(size, from.size()), to);
}

/// The setting of a match, a whole number.
inline int setting(const lanista::State& state, const char* name) {
  return static_cast<int>(state.setting(name));
}

}  // namespace lanista_kit

#endif
