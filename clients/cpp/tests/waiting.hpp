// What a person who starts a bot reads while it waits for an opponent.

#ifndef WAITING_HPP
#define WAITING_HPP

#include "support.hpp"

// What is written to stderr while this exists.
class Stderr {
  public:
    Stderr() : before_(::dup(2)) {
        if (::pipe(ends_) != 0) throw std::runtime_error("no pipe");
        ::dup2(ends_[1], 2);
        ::close(ends_[1]);
    }
    ~Stderr() {
        restore();
        ::close(ends_[0]);
    }
    Stderr(const Stderr&) = delete;
    Stderr& operator=(const Stderr&) = delete;

    // The next line, with its newline; waits for it.
    std::string line() {
        std::string text;
        for (char byte = 0; byte != '\n' && ::read(ends_[0], &byte, 1) == 1;) text += byte;
        return text;
    }
    // All that comes until stderr is what it was.
    std::string rest() {
        restore();
        std::string text;
        for (std::string more = line(); !more.empty(); more = line()) text += more;
        return text;
    }

  private:
    void restore() {
        if (before_ < 0) return;
        ::dup2(before_, 2);
        ::close(before_);
        before_ = -1;
    }

    int before_;
    int ends_[2];
};

inline void play_on(lanista::Arena& arena) {
    while (arena.next()) arena.send();
}

inline std::string waiting_for_one(const std::string& where, const std::string& details) {
    return "lanista: waiting for an opponent at " + where + " (" + details +
           "1 of 2 seats taken); the arena's page, whose address `lanista serve` prints, shows who "
           "is there\n";
}

inline void test_words() {
    SAME("127.0.0.1:7", lanista::detail::address("127.0.0.1", 7));
    SAME("[::1]:7", lanista::detail::address("::1", 7));
    SAME(waiting_for_one("arena:7", ""), lanista::detail::waiting("arena:7", "A v=1\n", {"1", "2"}));
    SAME(waiting_for_one("arena:7", "room lab, "),
         lanista::detail::waiting("arena:7", "A v=1 room=lab keep=1\n", {"1", "2"}));
}

inline void test_a_bot_that_waits_says_so_once() {
    lanista::detail::silence = 1;
    Stderr told;
    std::string first;
    Server server([&](Server& arena) {
        SAME("A v=1 game=angrymob room=lab token=secret\n", arena.hear());
        arena.say(welcome);
        first = told.line();  // so the match begins only once the bot has told
        arena.say("wait 2 2\n");
        ::poll(nullptr, 0, 5);  // another silence, which isn't told
        arena.say(start + turn_0);
        SAME("\n", arena.hear());
        arena.say(forfeit + "bye\n");
    });
    lanista::Options options{"A", "angrymob"};
    options.port = server.port;
    options.room = "lab";
    options.token = "secret";
    lanista::Arena arena(options);
    play_on(arena);
    arena.close();
    server.join();
    SAME(waiting_for_one("127.0.0.1:" + std::to_string(server.port), "game angrymob, room lab, "),
         first);
    SAME("", told.rest());
    SAME("forfeit", arena.result()->end);
}

inline void test_a_match_that_begins_at_once_is_played_in_silence() {
    lanista::detail::silence = 60'000;
    Stderr told;
    for (const std::vector<std::string>& pieces :
         {std::vector<std::string>{whole_match}, {welcome, replaced(whole_match, welcome, "")}}) {
        Wire wire(pieces);
        Wired arena(wire);
        play_on(arena);
    }
    SAME("", told.rest());
}

inline void test_silence_can_be_asked_for() {
    lanista::detail::silence = 0;
    const auto tells = [](std::optional<bool> quiet, const char* variable) {
        ::setenv("LANISTA_QUIET", variable, 1);
        Stderr told;
        Server server([](Server& arena) {
            arena.hear();
            arena.say(welcome);
            ::poll(nullptr, 0, 20);
            arena.say(start + turn_0);
        });
        lanista::Options options{"A"};
        options.port = server.port;
        options.quiet = quiet;
        lanista::Arena arena(options);
        arena.next();
        arena.close();
        unset_environment();
        return !told.rest().empty();
    };
    SAME(false, tells(true, ""));
    SAME(false, tells({}, "1"));
    SAME(true, tells({}, "0"));
    SAME(true, tells({}, ""));
    SAME(true, tells(false, "1"));
}

inline void test_an_arena_that_ends_while_a_bot_waits_is_an_error_as_ever() {
    Stderr told;
    Server server([&](Server& arena) {
        arena.hear();
        arena.say(welcome);
        told.line();
        arena.say("error shutdown x\n");
    });
    lanista::Options options{"A"};
    options.port = server.port;
    lanista::Arena arena(options);
    SAME("shutdown: x", caught<ArenaError>([&] { arena.next(); }));
    arena.close();
}

inline void test_waiting() {
    const std::pair<const char*, void (*)()> tests[] = {
        {"waiting: words", test_words},
        {"waiting: once", test_a_bot_that_waits_says_so_once},
        {"waiting: at once", test_a_match_that_begins_at_once_is_played_in_silence},
        {"waiting: quiet", test_silence_can_be_asked_for},
        {"waiting: shutdown", test_an_arena_that_ends_while_a_bot_waits_is_an_error_as_ever},
    };
    for (const auto& [name, test] : tests) {
        doing = name;
        test();
    }
    lanista::detail::silence = 1000;
}

#endif
