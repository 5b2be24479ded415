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
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

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

/// Writes all of a text; SIGPIPE must be ignored.
inline void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(to, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // nobody reads it
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

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
    log_.append(unwritten_, 0, std::min(unwritten_.size(), log_limit - log_.size()));
    write_all(STDERR_FILENO, unwritten_);
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

/// The connection, which each match's process leaves to the next one's.
class Conversation : public lanista::Arena {
 public:
  using Arena::Arena;
  using Arena::set_unused;
  using Arena::stop_after_match;
  using Arena::unused;
};

/// Whether this process has no thread but this one; false where that can't be known.
///
/// Other threads, which a global's constructor may have started, wouldn't exist in a forked child.
inline bool has_one_thread() {
  const std::string key = "Threads:";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.compare(0, key.size(), key) == 0) return std::atoi(line.c_str() + key.size()) == 1;
  return false;
}

/// Reads a descriptor to its end.
inline std::string read_all(int from) {
  std::string text;
  char piece[4096];
  while (true) {
    const ssize_t got = ::read(from, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(piece, static_cast<std::size_t>(got));
  }
}

/// Ends this process as a child of it ended.
[[noreturn]] inline void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit no_core = {0, 0};  // the child's says more
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  // Not exit: what was written before the first fork and is still in a buffer is in each child's,
  // which has written it.
  ::_exit(WEXITSTATUS(status));
}

/// Waits for a child's end; returns its status.
inline int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// A process's part in a conversation of several matches.
struct Turnover {
  int* matches;   ///< how many matches have ended as they should; memory shared by all processes
  int successor;  ///< where to write to the next match's process
};

/// Forks a process for each match, so that the player's globals are new in each.
///
/// While one plays, the next one waits, so that the time for the first answer doesn't contain a
/// fork. The parent neither reads from the arena nor writes to it after its hello. It ends as soon
/// as a child has ended otherwise than after a match, and in the same way.
///
/// Returns in children alone, when their match may begin.
inline Turnover fork_for_each_match(Conversation& arena) {
  void* const shared = ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::runtime_error("no memory to share between its processes");
  int* const matches = static_cast<int*>(shared);
  [[maybe_unused]] const pid_t parent = ::getpid();
  pid_t playing = -1;
  int predecessor = -1;
  for (int match = 0;; ++match) {
    int ends[2];
    const bool piped = ::pipe(ends) == 0;
    const pid_t next = piped ? ::fork() : -1;
    if (next < 0)
      throw std::runtime_error(std::string("no process for the next match: ") +
                               std::strerror(errno));
    if (next == 0) {
      ::close(ends[0]);
      ::fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#ifdef __linux__
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
#endif
      if (predecessor >= 0) {
        const std::string passed_on = read_all(predecessor);
        ::close(predecessor);
        if (passed_on.empty()) ::_exit(0);  // it ended otherwise than after its match
        arena.set_unused(std::string_view(passed_on).substr(1));
      }
      arena.stop_after_match();
      return {matches, ends[1]};
    }
    ::close(ends[1]);
    if (predecessor >= 0) ::close(predecessor);
    predecessor = ends[0];
    if (playing >= 0) {
      const int status = wait_for(playing);
      if (status != 0 || *matches < match) {
        ::kill(next, SIGKILL);
        wait_for(next);
        end_like(status);
      }
    }
    playing = next;
  }
}

/// Plays one match; or, with LANISTA_KEEP=1, matches until the arena says goodbye.
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
    lanista::Options options{name, game};
    options.keep = lanista::detail::environment("LANISTA_KEEP") == "1" && has_one_thread();
    Conversation arena(options);
    const Turnover turnover = options.keep ? fork_for_each_match(arena) : Turnover{nullptr, -1};
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
      // Before the answer, so that a kept bot's output is there when the match is over.
      std::cout.flush();
      std::fflush(stdout);
      arena.send_line(orders.line());
    }
    if (options.keep) {
      // After a goodbye before any match: what globals have in buffers is in other children's.
      if (arena.result() == nullptr) ::_exit(0);
      ++*turnover.matches;
      // The first byte says that the match has ended as it should.
      write_all(turnover.successor, "." + std::string(arena.unused()));
      ::close(turnover.successor);
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

/// The setting of a match, a whole number; none is more than a million.
inline int setting(const lanista::State& state, const char* name) {
  const double value = state.setting(name);
  if (!(value >= 0 && value <= 1e6))
    throw std::out_of_range(std::string("no setting of a match: ") + name);
  return static_cast<int>(value);
}

}  // namespace lanista_kit

#endif
