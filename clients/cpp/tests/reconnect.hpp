// Connecting again: after what pauses, how it ends, and what the bot sees (PROTOCOL.md 8).

#ifndef RECONNECT_HPP
#define RECONNECT_HPP

#include <set>

#include "support.hpp"

inline std::vector<int> pauses;  // that took no time, in milliseconds

inline void check_pauses(const std::vector<int>& longest) {
    SAME(longest.size(), pauses.size());
    for (std::size_t k = 0; k < std::min(pauses.size(), longest.size()); ++k)
        SAME(true, longest[k] / 2 <= pauses[k] && pauses[k] <= longest[k]);
    pauses.clear();
}

// An arena with these connections: what it says, and after it how many answers it hears.
inline auto connections(std::vector<std::pair<std::string, int>> said) {
    return [said = std::move(said)](Server& server) {
        for (std::size_t k = 0; k < said.size(); ++k) {
            if (k > 0) server.accept_again();
            server.hear();  // the hello
            server.say(said[k].first);
            for (int answer = 0; answer < said[k].second; ++answer) SAME("\n", server.hear());
        }
    };
}

inline lanista::Options again(const Server& server, bool keep = false) {
    lanista::Options options{"A"};
    options.port = server.port;
    options.reconnect = true;
    options.keep = keep;
    return options;
}

// A port at which nothing listens, then an arena.
inline void test_pauses() {
    static int failing = 0;
    lanista::Options options{"A"};
    {
        Server server([](Server&) {});
        options = again(server);
        lanista::Options once{"B"};
        once.port = server.port;
        lanista::Arena arena(once);
    }
    failing = 30;
    lanista::detail::pause = [](int milliseconds) {
        pauses.push_back(milliseconds);
        if (--failing == 0) throw std::runtime_error("enough");
    };
    SAME("enough", caught<std::runtime_error>([&] { lanista::Arena arena(options); }));
    SAME(true, std::set<int>(pauses.begin() + 10, pauses.end()).size() > 5);
    std::vector<int> longest;
    for (int pause = 500; longest.size() < 30; pause = std::min(2 * pause, 60'000))
        longest.push_back(pause);
    check_pauses(longest);
    lanista::detail::pause = [](int milliseconds) { pauses.push_back(milliseconds); };
}

// A welcome isn't enough for that: the arena may still refuse the bot.
inline void test_pauses_begin_anew_once_the_bot_is_let_in() {
    const std::string hello = "welcome 1 lanista 0.1.0\n";
    Server server(connections(
        {{hello, 0}, {hello, 0}, {welcome, 0}, {hello + start, 0}, {whole_match, 2}}));
    lanista::Arena arena(again(server));
    while (arena.next()) arena.send();
    check_pauses({500, 1000, 500, 500});
}

inline void test_codes_that_would_come_again_end_it() {
    for (const char* code : {"bad-hello", "replaced", "too-many-submoves", "unreadable"}) {
        const bool unreadable = code == std::string("unreadable");
        const std::string said = unreadable ? "turn x\n" : std::string("error ") + code + "\n";
        Server server(connections({{welcome + said, 0}}));
        lanista::Arena arena(again(server, true));
        const std::string error = caught<ArenaError>([&] { arena.next(); });
        SAME(code, error.substr(0, std::string(code).size()));
        arena.close();
    }
    check_pauses({});
}

// Of a turn that was cut nothing is left, wherever that was.
inline void test_cut_anywhere_the_match_goes_on_under_the_same_state() {
    for (std::size_t at = 0; at < turn_1.size(); at += 9) {
        Server server(connections({{welcome + start + turn_0 + turn_1.substr(0, at), 1},
                                   {welcome + start + turn_1 + forfeit + "bye\n", 1}}));
        lanista::Arena arena(again(server));
        std::vector<const lanista::State*> states;
        while (const lanista::State* state = arena.next()) {
            states.push_back(state);
            arena.send();
        }
        SAME(std::size_t(2), states.size());
        SAME(true, states.at(0) == states.at(1));
        SAME(2, arena.angrymob().mine.at({1, 1}));
        SAME(std::size_t(10), arena.angrymob().neutral.size());
        SAME("forfeit", arena.result()->end);
        check_pauses({500});
    }
}

inline void test_without_keep_the_end_of_a_match_is_the_end() {
    for (const char* last : {"bye\n", "", "error shutdown\n"}) {
        Server server(connections({{replaced(whole_match, "bye\n", last), 2}}));
        lanista::Arena arena(again(server));
        const std::string error = caught<ArenaError>([&] {
            while (arena.next()) arena.send();
        });
        SAME(last[0] == 'e' ? "shutdown" : "", error);
        arena.close();
    }
    check_pauses({});
}

inline void test_reconnect() {
    doing = "reconnect: pauses";
    test_pauses();
    doing = "reconnect: pauses begin anew";
    test_pauses_begin_anew_once_the_bot_is_let_in();
    doing = "reconnect: final codes";
    test_codes_that_would_come_again_end_it();
    doing = "reconnect: cut anywhere";
    test_cut_anywhere_the_match_goes_on_under_the_same_state();
    doing = "reconnect: without keep";
    test_without_keep_the_end_of_a_match_is_the_end();
}

#endif
