// The hello, the answer, the log, errors, misuse, and reading in pieces.

#ifndef CONNECTION_HPP
#define CONNECTION_HPP

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "support.hpp"

// PROTOCOL.md 2.
inline void test_hello() {
    const auto said = [](const lanista::Options& options) {
        Wire wire({});
        Wired(wire, options).close();
        return wire.sent();
    };
    lanista::Options all{"A", "crematoria"};
    all.room = "cup-3";
    all.seat = 0;
    all.token = "9f=";
    lanista::Options both{"Zo\xc3\xab"};
    both.keep = both.notes = true;
    SAME("CamperJoe v=1\n", said({"CamperJoe"}));
    SAME("Ann Lee v=1 game=angrymob\n", said({"Ann Lee", "angrymob"}));
    SAME("A v=1 game=crematoria room=cup-3 seat=0 token=9f=\n", said(all));
    SAME("Zo\xc3\xab v=1 keep=1 notes=1\n", said(both));
    SAME(std::string(32, 'x') + " v=1\n", said({std::string(32, 'x')}));
    std::string long_name;  // 32 code points, 64 bytes
    for (int k = 0; k < 32; ++k) long_name += "\xc3\xab";
    SAME(long_name + " v=1\n", said({long_name}));
}

inline void test_what_no_hello_can_say() {
    const auto refusal = [](const std::string& name, std::optional<std::string> room = {},
                            const std::string& token = "") {
        lanista::Options options{name};
        options.room = std::move(room);
        options.token = token;
        return caught<std::invalid_argument>([&] { lanista::Arena arena(options); });
    };
    const std::string names =
        "a name is 1 to 32 printable characters, single spaces between, no '=': not ";
    const std::string words = " must be one printable word without spaces";
    SAME("the bot has no name: write lanista::Arena arena({\"MyBot\"}) or set LANISTA_NAME",
         refusal(""));
    SAME(names + "'a=b'", refusal("a=b"));
    SAME(names + "'two\\u{a}lines'", refusal("two\nlines"));
    SAME(names + "'two  spaces'", refusal("two  spaces"));
    SAME(names + "' A'", refusal(" A"));
    SAME(names + "'A '", refusal("A "));
    SAME(names + "'\\xff'", refusal("\xff"));
    SAME(names + "'\\u{2028}'", refusal("\xe2\x80\xa8"));  // U+2028
    SAME(names + "'\\xed\\xa0\\x80'", refusal("\xed\xa0\x80"));  // a surrogate
    SAME(names + "'" + std::string(33, 'x') + "'", refusal(std::string(33, 'x')));
    SAME("room" + words + ", not 'cup 3'", refusal("A", "cup 3"));
    SAME("room" + words + ", not ''", refusal("A", ""));
    SAME("token" + words, refusal("A", {}, "my secret"));  // which isn't shown
    const auto port = [](int number) {
        lanista::Options options{"A"};
        options.port = number;
        return caught<std::invalid_argument>([&] { lanista::Arena arena(options); });
    };
    SAME("port must be a port number from 1 to 65535, such as 7777, not 0", port(0));
    SAME("port must be a port number from 1 to 65535, such as 7777, not 65536", port(65536));
}

inline void test_environment() {
    namespace detail = lanista::detail;
    lanista::Options none, all{"A", {}, "other", 1, "u"};
    SAME("127.0.0.1", detail::host(none));
    SAME(7777, detail::port(none));
    const auto set = [](const char* host, const char* port, const char* name, const char* token) {
        ::setenv("LANISTA_HOST", host, 1);
        ::setenv("LANISTA_PORT", port, 1);
        ::setenv("LANISTA_NAME", name, 1);
        ::setenv("LANISTA_TOKEN", token, 1);
    };
    set("arena", "99", "E", "t");
    SAME("arena", detail::host(none));
    SAME(99, detail::port(none));
    SAME("E v=1 token=t\n", detail::hello(none));
    ::setenv("LANISTA_LOCAL", "1", 1);  // what is said of another arena counts for nothing
    lanista::Options elsewhere = all;
    elsewhere.room = "pit";
    elsewhere.reconnect = true;
    const lanista::Options here = detail::holding(elsewhere);
    SAME("arena", detail::host(here));
    SAME(99, detail::port(here));
    SAME("A v=1 token=t\n", detail::hello(here));
    SAME(false, here.reconnect);
    ::unsetenv("LANISTA_LOCAL");
    SAME("other", detail::host(detail::holding(all)));
    set("arena", "no", "E", "t");
    SAME("other", detail::host(all));
    SAME(1, detail::port(all));
    SAME("A v=1 token=u\n", detail::hello(all));
    for (const char* port : {"http", "77.5", "-1", "99999", " "}) {
        set("", port, "A", "");
        SAME(std::string("LANISTA_PORT must be a port number from 1 to 65535, such as 7777, not '") +
                 port + "'",
             caught<std::invalid_argument>([] { lanista::Arena arena; }));
    }
    set("", "", "", "");
    SAME("127.0.0.1", detail::host(none));
    SAME(7777, detail::port(none));
    SAME("A v=1\n", detail::hello({"A"}));
    unset_environment();
}

// A token isn't sent in plain text to an arena that was meant to be reached by TLS.
inline void test_tls_is_refused() {
    lanista::Options options{"A"};
    options.port = 1;  // where nobody listens: connecting would be another error
    for (const char* set : {"1", "yes"}) {
        ::setenv("LANISTA_TLS", set, 1);
        SAME(std::string("LANISTA_TLS is '") + set +
                 "', but this library speaks plain text alone: run socat or stunnel beside the bot "
                 "(README.md, \"TLS\"), connect to that, and set LANISTA_TLS=0",
             caught<std::invalid_argument>([&] { lanista::Arena arena(options); }));
    }
    for (const char* set : {"", "0"}) {
        ::setenv("LANISTA_TLS", set, 1);
        SAME("unreachable: no arena at 127.0.0.1:1; start one with `lanista serve`",
             caught<ArenaError>([&] { lanista::Arena arena(options); }));
    }
    unset_environment();
}

// PROTOCOL.md 1: both sides set TCP_NODELAY. What follows is blocking, and no child inherits it.
inline void test_socket() {
    Server server([](Server&) {});
    const int socket = lanista::detail::connect("localhost", server.port);
    int no_delay = 0;
    socklen_t size = sizeof no_delay;
    ::getsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
    SAME(true, no_delay != 0);
    SAME(0, ::fcntl(socket, F_GETFL) & O_NONBLOCK);
    SAME(FD_CLOEXEC, ::fcntl(socket, F_GETFD));
    ::close(socket);
}

// What a bot writes to stderr that fails without catching its error, and how it ends: by its exit
// status, or minus its signal.
inline std::pair<std::string, int> uncaught(const std::function<void()>& play) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t bot = ::fork();
    if (bot == 0) {
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        ::dup2(ends[1], STDERR_FILENO);
        [&play]() noexcept { play(); }();
        std::_Exit(0);
    }
    ::close(ends[1]);
    std::string written;
    char byte = 0;
    while (::read(ends[0], &byte, 1) == 1) written += byte;
    ::close(ends[0]);
    int status = 0;
    ::waitpid(bot, &status, 0);
    return {written, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)};
}

// Whatever else isn't caught ends the bot as it did without the library.
inline void test_an_error_that_is_not_caught_is_one_line() {
    lanista::Options options{"A"};
    options.port = 1;
    const auto [line, status] = uncaught([&] { lanista::Arena arena(options); });
    SAME("unreachable: no arena at 127.0.0.1:1; start one with `lanista serve`\n", line);
    SAME(1, status);
    const auto [refusal, code] = uncaught([] { lanista::Arena arena({"a=b"}); });
    SAME("a name is 1 to 32 printable characters, single spaces between, no '=': not 'a=b'\n", refusal);
    SAME(1, code);
    const auto [others, signal] = uncaught([&] {
        caught<ArenaError>([&] { lanista::Arena arena(options); });
        throw std::runtime_error("mine");
    });
    SAME(true, others.find("mine") != std::string::npos && others.find("arena") == std::string::npos);
    SAME(-SIGABRT, signal);
}

inline void test_no_arena() {
    lanista::Options options{"A"};
    {
        Server server([](Server&) {});
        options.port = server.port;
        lanista::Arena arena(options);
    }
    SAME("unreachable: no arena at 127.0.0.1:" + std::to_string(*options.port) +
             "; start one with `lanista serve`",
         caught<ArenaError>([&] { lanista::Arena arena(options); }));
}

// PROTOCOL.md 4: one after another with no separator; one write call.
inline void test_answers() {
    const auto answer = [](const std::function<void(lanista::Arena&)>& act) {
        Wire wire({welcome + start + turn_0});
        Wired arena(wire);
        arena.next();
        wire.writes();
        act(arena);
        return wire.writes();
    };
    using Writes = std::vector<std::string>;
    SAME(Writes{"\n"}, answer([](auto& arena) { arena.send(); }));
    SAME(Writes{"\n"}, answer([](auto& arena) { arena.send({}); }));
    SAME(Writes{"2 1 1 0\n"}, answer([](auto& arena) { arena.send({{2, 1, 1, 0}}); }));
    SAME(Writes{"2 1 1 0 0 0 -1 3\n"}, answer([](auto& arena) {
             arena.send({{2, 1, 1, 0}, {0L, 0U, -1, lanista::AngryMob::down}});
         }));
    SAME(Writes{"m 4 2 s 7 1\n"},
         answer([](auto& arena) { arena.send({{'m', 4, 2}, {'s', 7, 1}}); }));
    SAME(Writes{"m 4 2 m 5 0\n"}, answer([](auto& arena) { arena.send_line("m 4 2 m 5 0"); }));
    SAME(Writes{"\n"}, answer([](auto& arena) { arena.send_line(""); }));
}

inline void test_misuse() {
    Wire wire({whole_match});
    Wired arena(wire);
    const std::string once = "no turn asks for an answer: send once for each state, not before it";
    const auto misuse = [&](const std::function<void()>& act) { return caught<MisuseError>(act); };
    SAME(once, misuse([&] { arena.send(); }));
    SAME("there is no match yet: call arena.next() first", misuse([&] { arena.angrymob(); }));
    arena.next();
    SAME("turn 0 wasn't answered: every state needs one arena.send(moves), arena.send({}) to do "
         "nothing",
         misuse([&] { arena.next(); }));
    SAME("this match is of angrymob, not of hogwarts: ask for the game in the options",
         misuse([&] { arena.hogwarts(); }));
    const std::string no_move = "not integers and letters of the game: ";
    wire.writes();
    SAME(no_move + "'#'", misuse([&] { arena.send({{'#', 1}}); }));
    SAME(no_move + "'1\\u{a}1'", misuse([&] { arena.send_line("1\n1"); }));
    SAME(no_move + "'# log'", misuse([&] { arena.send_line("# log"); }));
    SAME(no_move + "'\\xff'", misuse([&] { arena.send_line("\xff"); }));
    SAME("", wire.sent());
    arena.send({{1}});  // it may still be answered rightly
    SAME(once, misuse([&] { arena.send({{2}}); }));
    SAME("1\n", wire.sent());
    arena.close();
    arena.close();  // once more does no harm
    SAME(true, arena.next() == nullptr);
    SAME(once, misuse([&] { arena.send(); }));
}

// PROTOCOL.md 4; whatever breaks a line begins a new one, and all is UTF-8.
inline void test_log() {
    Wire wire({welcome + start + turn_0});
    Wired arena(wire);
    const auto logged = [&](const std::string& text) {
        wire.writes();
        arena.log(text);
        return wire.writes();
    };
    using Writes = std::vector<std::string>;
    SAME(Writes{"# plan: wait\n"}, logged("plan: wait"));
    SAME(Writes{"# one\n# two\n# three\n"}, logged("one\ntwo\r\nthree\n"));
    SAME(Writes{"# \n"}, logged(""));
    SAME(Writes{"# \n"}, logged("\n"));
    SAME(Writes{"# a\n# \n# b\n"}, logged("a\n\nb"));
    SAME(Writes{"# \xc3\xa9\n# \\xed\\xa0\\x80\\xff\n"},
         logged("\xc3\xa9\xe2\x80\xa8\xed\xa0\x80\xff"));
    std::string snakes;  // 4 bytes each
    for (int k = 0; k < 40'000; ++k) snakes += "\xf0\x9f\x90\x8d";
    std::string written;
    for (const std::string& line : lines_of(lanista::detail::log_lines(snakes))) {
        SAME("# ", line.substr(0, 2));
        SAME(true, line.size() <= 65'536);
        written += line.substr(2, line.size() - 3);
    }
    SAME(true, written == snakes);
    SAME("# " + std::string(8192, 'x') + "\n# x\n",
         lanista::detail::log_lines(std::string(8193, 'x')));
    SAME("# " + std::string(8192, 'x') + "\n# y\n",
         lanista::detail::log_lines(std::string(8192, 'x') + "\ny\n"));
}

// The lines that the other libraries are tested with, too (PROTOCOL.md 9).
inline void test_draw() {
    using lanista::Cell;
    using lanista::Draw;
    using lanista::Pos;
    Wire wire({welcome + start + turn_0});
    Wired arena(wire);
    const auto drawn = [&](const auto& use) {
        wire.writes();
        use(arena.draw());
        std::string sent;
        for (const std::string& text : wire.writes()) sent += text;
        return sent;
    };
    const std::vector<Cell> cells = {{3, 4}, {3, 9}, {12, 9}};
    const std::vector<lanista::Place> path(cells.begin(), cells.end());
    const std::vector<lanista::Place> up = {
        {1, 1, 0}, {1, 2, 0}, Pos{1, 2, 1}, {1, 3, 1}, {1, 3, 0}};
    SAME("#@ cell 3 4 own\n", drawn([&](Draw draw) { draw.cell({3, 4}); }));
    SAME("#@ cell 3 4 red\n", drawn([&](Draw draw) { draw.cell(cells[0], "red"); }));
    SAME("#@ cell 3 4 1 #8040ff\n", drawn([&](Draw draw) { draw.cell({3, 4, 1}, "#8040ff"); }));
    SAME("#@ cell 3 4 3 9 12 9 blue\n", drawn([&](Draw draw) { draw.cells(path, "blue"); }));
    SAME("#@ line 3 4 3 9 12 9 own\n", drawn([&](Draw draw) { draw.line(path); }));
    SAME("#@ arrow 3 4 3 9 12 9 pink\n", drawn([&](Draw draw) { draw.arrow(path, "pink"); }));
    SAME("#@ text 3 4 ink go on\n", drawn([&](Draw draw) { draw.text({3, 4}, "go on", "ink"); }));
    SAME("#@ text 3 4 1 ink \xc3\xa9\n",
         drawn([&](Draw draw) { draw.text({3, 4, 1}, "\xc3\xa9", "ink"); }));
    SAME("#@ value danger 0.25\n", drawn([&](Draw draw) { draw.value("danger", 0.25); }));
    SAME("#@ value danger -7\n", drawn([&](Draw draw) { draw.value("danger", -7); }));
    SAME("#@ arrow 1 1 1 2 0 red\n#@ arrow 1 2 1 3 1 red\n",
         drawn([&](Draw draw) { draw.arrow(up, "red"); }));
    SAME("#@ cell 1 1 1 2 0 red\n#@ cell 1 2 1 3 1 red\n#@ cell 1 3 0 red\n",
         drawn([&](Draw draw) { draw.cells(up, "red"); }));
    SAME("", drawn([&](Draw draw) { draw.line({{1, 1}}); }));
    SAME("#@ text 1 2 red a b   c\n", drawn([&](Draw draw) {
             draw.text({1, 2}, "a\nb\r\xc2\x85\xe2\x80\xa8" "c", "red");
         }));
    SAME("#@ cell 1 2 red 1 2 1 0\n",
         drawn([&](Draw draw) { draw.cell({1, 2}, "red\n1 2 1 0"); }));
    std::string snakes;  // 4 bytes each; a part of the line isn't drawn
    for (int k = 0; k < 40'000; ++k) snakes += "\xf0\x9f\x90\x8d";
    const std::string line = lanista::detail::drawing_line("text 1 2 red " + snakes);
    SAME(true, line.size() <= 65'536 && line.size() > 4 * 8000 && line.back() == '\n');
    SAME("#@ text 1 2 red \\xff\n", lanista::detail::drawing_line("text 1 2 red \xff"));
}

// Plays on, each answer telling the turn; what was seen of each state.
inline std::string played(lanista::Arena& arena) {
    std::string seen;
    while (arena.next()) {
        const auto& state = arena.angrymob();
        seen += show(state.turn) + show(state.mine) + show(state.theirs) + show(state.neutral) +
                show(state.moved[0].size()) + show(state.moved[1].size()) + "; ";
        arena.send({{state.turn, 0, 0, 0}});
    }
    return seen;
}

inline void test_in_whatever_pieces_the_match_is_the_same() {
    Wire whole({whole_match});
    Wired first(whole);
    const std::string expected = played(first);
    const std::string answers = "A v=1\n0 0 0 0\n1 0 0 0\n";
    SAME(answers, whole.sent());
    std::vector<std::string> single;
    for (const char byte : whole_match) single.emplace_back(1, byte);
    std::vector<std::vector<std::string>> all = {single};
    for (std::size_t at = 1; at < whole_match.size(); at += 7)
        all.push_back({whole_match.substr(0, at), whole_match.substr(at)});
    for (auto& pieces : all) {
        Wire wire(pieces);
        Wired arena(wire);
        SAME(expected, played(arena));
        SAME(answers, wire.sent());
        SAME("forfeit, ranks 1 2, scores 2 2", to_string(*arena.result()));
    }
}

// PROTOCOL.md 1: an unfinished last line is dropped, complete lines before it are used.
inline void test_cut_off_at_any_byte_it_is_disconnected_or_over() {
    const std::string end = "end forfeit\n";
    const std::size_t ended = whole_match.find(end) + end.size();
    for (std::size_t at = 1; at < whole_match.size(); ++at) {
        Wire wire({whole_match.substr(0, at)});
        Wired arena(wire);
        std::string code;
        try {
            played(arena);
        } catch (const ArenaError& error) {
            code = error.code();
        }
        SAME(at < ended ? "disconnected" : "", code);
        SAME(at < ended, arena.result() == nullptr);
    }
}

inline void test_errors_of_the_arena() {
    const auto error = [](const std::string& said, bool keep = false) {
        Wire wire({welcome + start + turn_0 + said});
        lanista::Options options{"A"};
        options.keep = keep;
        Wired arena(wire, options);
        return caught<ArenaError>([&] { played(arena); });
    };
    const auto cut = [&](const std::string& said, bool keep) {
        return error(said, keep).substr(0, std::strlen("disconnected: the connection ended in mid"));
    };
    SAME("name-taken: Ann is playing already", error("error name-taken Ann is playing already\n"));
    const std::string code = "\x1b" "c", words = "the\xe2\x80\xae w\xc3\xb6rd's";
    const ArenaError hostile(code, words);
    SAME("\\u{1b}c: the\\u{202e} w\xc3\xb6rd's", std::string(hostile.what()));
    SAME(code, hostile.code());
    SAME(words, hostile.words());
    SAME("\\u{1b}c, ranks, scores", to_string(lanista::Result{code, {}, {}}));
    SAME("shutdown", error("error shutdown\n"));
    SAME("shutdown", error(forfeit + "error shutdown\n", true));
    SAME("disconnected: the connection ended in mid", cut("turn 1\nunit", false));
    SAME("disconnected: the connection ended in mid", cut("", true));
    SAME("unreadable: the client can't use 'turn one'", error("turn one\n"));
    SAME("unreadable: the client can't use 'go'", error("go\n"));
    SAME("unreadable: the client can't use 'error'", error("error\n"));
    SAME("unreadable: the client can't use 'go'", error("turn 1\nunit 1 1 2 1\ngo\n"));
    SAME("unreadable: the client can't use 'note late'", error("note late\n"));
    SAME("unreadable: the client can't use 'bye'", error("end finished\nrank 0 x\nbye\n"));
}

// A seat that is thrown out learns why, not that its pipe is broken; nor does a signal kill it.
inline void test_what_the_arena_said_before_closing_is_read_though_sending_fails() {
    Wire wire({welcome + start + turn_0 + "error late ten turns in a row\n"});
    Wired arena(wire);
    arena.next();
    ::shutdown(wire.client, SHUT_WR);
    arena.log("still here");
    arena.send();
    SAME("late: ten turns in a row", caught<ArenaError>([&] { arena.next(); }));
}

inline void test_a_reset_is_a_disconnect() {
    Server server([](Server& self) {
        self.hear();
        self.say(welcome + start + turn_0);
        self.hear();
        self.reset();
    });
    lanista::Options options{"A"};
    options.port = server.port;
    lanista::Arena arena(options);
    arena.next();
    arena.send();
    try {
        arena.next();
        fail(__LINE__, "no error");
    } catch (const ArenaError& error) {
        SAME("disconnected", error.code());
    }
}

inline void test_keep() {
    const std::string second = replaced(replaced(start, "EXAMPLE", "SECOND"), "seat 0", "seat 1");
    const std::string end_void = "end void\nrank 0 1\nrank 1 1\nscore 0 1\nscore 1 1\n";
    for (const char* last : {"bye\n", "wait 1 2\n", ""}) {
        Wire wire({welcome + start + turn_0 + "note late 0 - x\n" + end_void,
                   start + turn_0 + turn_1 + forfeit + "wait 1 2\nwait 2 2\n",
                   second + turn_0 + forfeit + last});
        lanista::Options options{"A"};
        options.keep = true;
        Wired arena(wire, options);
        std::string seen;
        while (const lanista::State* state = arena.next()) {
            seen += state->match + show(state->seat) + show(state->turn);
            seen += show(arena.notes().size()) + " ";
            arena.send({{state->seat}});
        }
        SAME("01JDEXAMPLE000 01JDEXAMPLE000 01JDEXAMPLE010 01JDSECOND100 ", seen);
        std::string ends;
        for (const auto& result : arena.results()) ends += result.end + " ";
        SAME("void forfeit forfeit ", ends);
        SAME("A v=1 keep=1\n0\n0\n0\n1\n", wire.sent());
    }
    Wire wire({welcome + start + turn_0 + forfeit + second + turn_0});  // without it, one is all
    Wired arena(wire);
    played(arena);
    SAME("01JDEXAMPLE", arena.state()->match);
    SAME(std::size_t(1), arena.results().size());
}

inline void test_notes() {
    Wire wire({welcome + start + turn_0 + "note illegal 0 2 no unit in (1, 1)\nnote late 0 -\n" +
               forfeit + "bye\n"});
    Wired arena(wire);
    played(arena);
    const auto& notes = arena.notes();
    SAME(std::size_t(2), notes.size());
    SAME("illegal", notes.at(0).code);
    SAME(0, notes.at(0).turn);
    SAME(2, notes.at(0).index.value_or(-1));
    SAME("no unit in (1, 1)", notes.at(0).words);
    SAME(false, notes.at(1).index.has_value());
    SAME("", notes.at(1).words);
}

inline void test_bytes_that_are_no_text() {
    Wire wire({"\xff\xfe\n\n  \nnew \xff\n" + replaced(whole_match, "Ann Lee", "\xc3(\xff")});
    Wired arena(wire);
    arena.next();
    SAME("\xc3(\xff", arena.state()->players.at(0));
}

// A line may be longer than any buffer.
inline void test_a_long_line() {
    std::string line = "weather";
    for (int k = 0; k < 100'000; ++k) line += " " + std::to_string(k);
    Wire wire({welcome + start + replaced(turn_0, "go\n", line + "\ngo\n") + turn_1}, SOCK_STREAM);
    Wired arena(wire);
    arena.next();
    SAME(std::size_t(100'000), arena.state()->facts["weather"].at(0).size());
    SAME("99999", arena.state()->facts["weather"].at(0).back());
    arena.send();
    SAME(1, arena.next()->turn);
}

inline void test_an_unknown_game_by_its_facts() {
    Wire wire({welcome + R"(start 7
game chess
seat 2
player 0 A
player 1 B
player 2 C
player 3 D
clock 0 0
seed 0
set rounds 120
set risk 0.25
set label deep end
size 60 60
turn 0
unit 4 w 2 1 1 0 0
unit 7 g 2 5 5 0 0
spell 1 2 3
go
end finished
score 0 10
score 1 10.5
score 2 -3
score 3 0
rank 3 3
rank 2 4
rank 1 1
rank 0 2
bye
)"});
    Wired arena(wire, {"C"});
    const lanista::State& state = *arena.next();
    using Words = std::vector<lanista::Words>;
    SAME(Words{{"60", "60"}}, state.start_facts["size"]);
    SAME((Words{{"4", "w", "2", "1", "1", "0", "0"}, {"7", "g", "2", "5", "5", "0", "0"}}),
         state.facts["unit"]);
    SAME(Words{}, state.facts["weather"]);
    SAME(std::size_t(2), state.facts.all().size());
    SAME(120.0, state.setting("rounds"));
    SAME(0.25, state.setting("risk"));
    SAME("deep end", state.settings.at("label"));
    SAME("no setting that is a number: label",
         caught<std::out_of_range>([&] { (void)state.setting("label"); }));
    SAME("no setting that is a number: none",
         caught<std::out_of_range>([&] { (void)state.setting("none"); }));
    arena.send();
    SAME(true, arena.next() == nullptr);
    SAME("finished, ranks 2 1 4 3, scores 10 10.5 -3 0", to_string(*arena.result()));
}

inline void test_connection() {
    const std::pair<const char*, void (*)()> tests[] = {
        {"hello", test_hello},
        {"what no hello can say", test_what_no_hello_can_say},
        {"environment", test_environment},
        {"tls is refused", test_tls_is_refused},
        {"socket", test_socket},
        {"no arena", test_no_arena},
        {"an error that isn't caught", test_an_error_that_is_not_caught_is_one_line},
        {"answers", test_answers},
        {"misuse", test_misuse},
        {"log", test_log},
        {"draw", test_draw},
        {"pieces", test_in_whatever_pieces_the_match_is_the_same},
        {"cut off", test_cut_off_at_any_byte_it_is_disconnected_or_over},
        {"errors of the arena", test_errors_of_the_arena},
        {"sending fails", test_what_the_arena_said_before_closing_is_read_though_sending_fails},
        {"a reset", test_a_reset_is_a_disconnect},
        {"keep", test_keep},
        {"notes", test_notes},
        {"bytes that are no text", test_bytes_that_are_no_text},
        {"a long line", test_a_long_line},
        {"an unknown game", test_an_unknown_game_by_its_facts},
    };
    for (const auto& [name, test] : tests) {
        doing = name;
        test();
    }
}

#endif
