// What the tests share: checks, an arena at the other end of a pair of sockets, one that serves a
// port, and the positions that they play with (those of the Python client's tests).

#ifndef SUPPORT_HPP
#define SUPPORT_HPP

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "lanista.hpp"

// -- checks ---------------------------------------------------------------------------------------

inline int failures = 0;
inline std::string doing;  // the test, or the vector

inline std::string show(const std::string& text) { return lanista::detail::quoted(text); }
inline std::string show(const char* text) { return show(std::string(text)); }
inline std::string show(bool is) { return is ? "true" : "false"; }
inline std::string show(int number) { return std::to_string(number); }
inline std::string show(std::size_t number) { return std::to_string(number); }
inline std::string show(double number) { return std::to_string(number); }
inline std::string show(lanista::Cell cell) {
    return "(" + std::to_string(cell.i) + ", " + std::to_string(cell.j) + ")";
}
inline std::string show(lanista::Pos pos) {
    return show(lanista::Cell{pos.i, pos.j}) + "/" + std::to_string(pos.k);
}
template <typename Thing>
std::string show(const std::vector<Thing>& things) {
    std::string text;
    for (const Thing& thing : things) text += (text.empty() ? "[" : ", ") + show(thing);
    return text.empty() ? "[]" : text + "]";
}
template <typename Key, typename Thing>
std::string show(const std::map<Key, Thing>& things) {
    std::string text;
    for (const auto& [key, thing] : things)
        text += (text.empty() ? "{" : ", ") + show(key) + ": " + show(thing);
    return text.empty() ? "{}" : text + "}";
}

inline void fail(int line, const std::string& why) {
    ++failures;
    std::printf("FAILED: %s, line %d: %s\n", doing.c_str(), line, why.c_str());
}

inline void same_text(int line, const std::string& expected, const std::string& actual) {
    if (expected != actual) fail(line, "expected " + expected + ", not " + actual);
}

// What is shown of two things must be the same.
template <typename Expected, typename Actual>
void same(int line, const Expected& expected, const Actual& actual) {
    same_text(line, show(expected), show(actual));
}
#define SAME(...) same(__LINE__, __VA_ARGS__)

// What an error says; empty if there is none.
template <typename Error>
std::string caught(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}
using lanista::ArenaError;
using lanista::MisuseError;

// -- arenas ---------------------------------------------------------------------------------------

// The other end of a pair of sockets: it sends pieces, each read by one call, and keeps what each
// call of the client wrote.
class Wire {
  public:
    explicit Wire(std::vector<std::string> pieces, int type = SOCK_SEQPACKET) {
        int ends[2];
        if (::socketpair(AF_UNIX, type, 0, ends) != 0) throw std::runtime_error("no socketpair");
        client = ends[0];
        ours_ = ends[1];
        sending_ = std::thread([this, pieces = std::move(pieces)] {
            for (const std::string& piece : pieces) {
                std::string_view rest = piece;
                while (!rest.empty()) {
                    const ssize_t sent = ::send(ours_, rest.data(), rest.size(), MSG_NOSIGNAL);
                    if (sent <= 0) return;
                    rest.remove_prefix(static_cast<std::size_t>(sent));
                }
            }
            ::shutdown(ours_, SHUT_WR);
        });
    }
    ~Wire() {
        ::shutdown(ours_, SHUT_RDWR);
        sending_.join();
        ::close(ours_);
    }
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    // All that was written since this was asked last, each call for itself.
    std::vector<std::string> writes() {
        std::vector<std::string> all;
        std::vector<char> buffer(1 << 20);
        while (true) {
            const ssize_t got = ::recv(ours_, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (got <= 0) return all;
            all.emplace_back(buffer.data(), static_cast<std::size_t>(got));
        }
    }
    std::string sent() {
        std::string all;
        for (const std::string& write : writes()) all += write;
        return all;
    }

    int client = -1;

  private:
    int ours_ = -1;
    std::thread sending_;
};

// An `Arena` that speaks over a wire.
struct Wired : lanista::Arena {
    explicit Wired(Wire& wire, const lanista::Options& options = {"A"})
        : Arena(options, wire.client) {}
};

// An arena that serves one connection on a port, or one after another, in a thread.
class Server {
  public:
    explicit Server(std::function<void(Server&)> script) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* where = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, where, size) != 0 || ::listen(listener_, 1) != 0 ||
            ::getsockname(listener_, where, &size) != 0)
            throw std::runtime_error("no port");
        port = ntohs(address.sin_port);
        serving_ = std::thread([this, script = std::move(script)] {
            connection_ = ::accept(listener_, nullptr, nullptr);
            script(*this);
            hear_out();
        });
    }
    ~Server() {
        join();
        ::close(listener_);
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Waits until the script is over and the client gone.
    void join() {
        if (serving_.joinable()) serving_.join();
    }
    // For scripts: a line that the client sent, with its newline.
    std::string hear() {
        std::string line;
        while (line.empty() || line.back() != '\n') {
            const int byte = read();
            if (!byte) return line + "<end>";
            line += static_cast<char>(byte);
        }
        return line;
    }
    void say(const std::string& text) {
        ::send(connection_, text.data(), text.size(), MSG_NOSIGNAL);
    }
    // Ends the connection as at the end of a script, and goes on with the next one.
    void accept_again() {
        hear_out();
        connection_ = ::accept(listener_, nullptr, nullptr);
    }
    // Ends the connection at once, as if the machine had gone.
    void reset() {
        const linger at_once{1, 0};
        ::setsockopt(connection_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        ::close(connection_);
        connection_ = -1;
    }

    int port = 0;
    std::string surplus;  // what the client sent after the script

  private:
    void hear_out() {
        ::shutdown(connection_, SHUT_WR);
        while (const int byte = read()) surplus += static_cast<char>(byte);
        ::close(connection_);
    }
    int read() {
        char byte = 0;
        return ::recv(connection_, &byte, 1, 0) == 1 ? byte : 0;
    }

    int listener_ = -1, connection_ = -1;
    std::thread serving_;
};

inline void unset_environment() {
    for (const char* name :
         {"LANISTA_NAME", "LANISTA_HOST", "LANISTA_PORT", "LANISTA_TOKEN", "LANISTA_TLS",
          "LANISTA_QUIET", "LANISTA_LOCAL"})
        ::unsetenv(name);
}

// -- positions ------------------------------------------------------------------------------------

inline std::string replaced(std::string text, const std::string& old, const std::string& by) {
    text.replace(text.find(old), old.size(), by);
    return text;
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char byte : text) {
        lines.back() += byte;
        if (byte == '\n') lines.emplace_back();
    }
    lines.pop_back();
    return lines;
}

// The map of rules/angrymob.md 5.
inline const std::string welcome = "welcome 1 lanista 0.1.0\nwait 1 2\n";
inline const std::string start =
    "start 01JDEXAMPLE\ngame angrymob\nseat 0\nplayer 0 Ann Lee\nplayer 1 B\xc3\xb6"
    "b\nclock 20 0.2\nseed 52011\nset move_limit 2400\nsize 6 7\nbase 0 2 1\nbase 1 3 5\n"
    "row 0 . 1 . . # # 2\nrow 1 # 1 1 . 3 . 1\nrow 2 . A . # # . .\nrow 3 . . # # . B .\n"
    "row 4 1 . 3 . 1 1 #\nrow 5 2 # # . . 1 .\n";
inline const std::string turn_0 =
    "turn 0\nunit 2 1 0 1\nunit 3 5 1 1\ntotal 0 1\ntotal 1 1\ngo\n";
inline const std::string turn_1 =
    "turn 1\nmoved 0 2 1 1 1\nmoved 1 3 5 1 3\nunit 1 1 0 2\nunit 4 5 1 2\n"
    "neutral 1 1 0\nneutral 4 5 0\ntotal 0 2\ntotal 1 2\ngo\n";
inline const std::string forfeit = "end forfeit\nrank 0 1\nrank 1 2\nscore 0 2\nscore 1 2\n";
inline const std::string whole_match = welcome + start + turn_0 + turn_1 + forfeit + "bye\n";

inline const std::string four =
    "start 01JDFOUR\nseat 1\nplayer 0 Ann Lee\nplayer 1 Bob\nplayer 2 C\nplayer 3 D\n"
    "clock 20 0.2\nseed 52011\n";
// Boards by hand, smaller than any in play: what a state does with them is seen at a glance.
inline const std::string hogwarts_start = four + R"(game hogwarts
set NUM_PLAYERS 4
set NUM_ROUNDS 200
set POINTS_FOR_CONVERTING_WIZARD 100
set original 0
size 6 8
row 0 ........
row 1 .WW.....
row 2 ........
row 3 ........
row 4 ....W...
row 5 ........
)";
inline const std::string hogwarts_turn = R"(turn 7
own 0 11......
own 1 .WW.....
own 2 .1....3.
own 3 2...0...
own 4 ....W...
own 5 .....3..
unit 0 g 0 3 4 53 -1
unit 1 g 1 0 0 53 5
unit 2 g 2 3 0 0 -1
unit 3 g 3 2 6 53 -1
unit 4 w 3 5 5 0 -1
unit 5 w 1 0 1 0 -1
unit 6 w 1 2 1 3 2
book 0 3
book 5 0
voldemort 3 7
spell 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
strength 1000 1000 1050 0
score 101 3 -1 2
status 0 0.25 -1 0.0125
go
)";
inline const std::string crematoria_start = four + R"(game crematoria
set nb_players 4
set nb_rounds 120
set gem_value 30
size 5 8
elevator 2 6
elevator 2 1
row 0 RRRRRRRR
row 1 CCCRRCCC
row 2 CECRRCEC
row 3 CCCRCCCC
row 4 RRRRRRRR
)";
// Round 1: the night is columns 2 to 5 of 8, the sun from column 6 on.
inline const std::string crematoria_turn = R"(turn 1
own 0 RRRRRRRR
own 1 1CCRRCC3
own 2 1ECRRCE3
own 3 C1CRC2CC
own 4 RRRRRRRR
gem 4 2
gem 0 5
unit 0 f 1 100 -1 1 0 0
unit 1 p 1 50 -1 3 1 0
unit 2 p 3 15 -1 2 7 0
unit 3 p 2 50 -1 2 4 1
unit 4 n -1 75 0 0 3 1
unit 5 n -1 75 2 3 4 1
unit 6 h -1 -1 -1 3 4 0
sun 6
cells 0 3 1 2
gems 0 1 0 2
score 0 33 1 62
status 0 0.25 -1 0.0125
go
)";

#endif
