// The conversations of protocol/vectors/conversations.jsonl, over a real connection.

#ifndef CONVERSATIONS_HPP
#define CONVERSATIONS_HPP

#include <fstream>
#include <set>

#include "json.hpp"
#include "support.hpp"

// The bytes that the vectors' README describes.
inline std::string bytes(const Json& json) {
    std::string all;
    if (json.kind == Json::text) return json.string;
    for (const Json& item : json.items) all += bytes(item);
    for (int k = 0; json["times"] && k < json["times"].integer(); ++k) all += json["text"].string;
    const std::string hex = json["hex"].string;
    for (std::size_t k = 0; k < hex.size(); k += 2)
        all += static_cast<char>(std::stoi(hex.substr(k, 2), nullptr, 16));
    return all;
}

// A hello with its options in an order of their own.
inline std::string ordered(const std::string& hello) {
    std::multiset<std::string> options;
    std::string name, word;
    for (const char byte : hello) {
        word += byte;
        if (byte != ' ' && byte != '\n') continue;
        word.pop_back();
        if (word.find('=') != std::string::npos)
            options.insert(word);
        else
            name += word + " ";
        word.clear();
    }
    for (const std::string& option : options) name += option + " ";
    return name;
}

inline std::string show(const Json& json) {
    switch (json.kind) {
        case Json::null:
            return "null";
        case Json::text:
            return show(json.string);
        case Json::list:
            return show(json.items);
        case Json::object:
            return show(json.members);
        default:
            return show(json.value);
    }
}

inline void play(const Json& vector) {
    const auto script = [&](Server& server) {
        bool first = true;
        const auto& steps = vector["steps"].items;
        for (const Json& step : steps) {
            if (step["closes"] && &step != &steps.back()) {
                server.accept_again();
                first = true;
                continue;
            }
            server.say(bytes(step["arena"]));
            for (const std::string& line : lines_of(bytes(step["bot"]))) {
                const std::string heard = server.hear();
                if (first)
                    SAME(ordered(line), ordered(heard));
                else
                    SAME(line, heard);
                first = false;
            }
        }
    };
    Server server(script);
    const Json& connect = vector["connect"];
    lanista::Options options{connect["name"].string};
    if (connect["game"]) options.game = connect["game"].string;
    if (connect["room"]) options.room = connect["room"].string;
    if (connect["seat"]) options.seat = connect["seat"].integer();
    options.token = connect["token"].string;
    options.keep = connect["keep"].value != 0;
    options.notes = connect["notes"].value != 0;
    options.reconnect = connect["reconnect"].value != 0;
    options.port = server.port;

    const auto cells = [](const std::map<lanista::Cell, int>& units) {
        std::vector<std::vector<double>> rows;
        for (const auto& [cell, n] : units)
            rows.push_back({double(cell.i), double(cell.j), double(n)});
        return rows;
    };
    const auto check_position = [&](const Json& expected, const lanista::AngryMob& state) {
        SAME(expected["turn"].integer(), state.turn);
        SAME(expected["mine"], cells(state.mine));
        SAME(expected["theirs"], cells(state.theirs));
        SAME(expected["neutral"], cells(state.neutral));
        SAME(expected["totals"], std::vector<double>(state.totals.begin(), state.totals.end()));
        std::vector<std::vector<std::vector<double>>> moved;
        for (const auto& sent : state.moved) {
            moved.emplace_back();
            for (const auto& [i, j, k, d] : sent)
                moved.back().push_back({double(i), double(j), double(k), double(d)});
        }
        SAME(expected["moved"], moved);
    };

    const auto& matches = vector["matches"].items;
    std::size_t match = 0, ask = 0, results = 0;
    const auto end_match = [&](const lanista::Arena& arena) {  // while it is the current one
        const Json& expected = matches.at(match);
        SAME(expected["asks"].items.size(), ask);
        if (expected["final"]) check_position(expected["final"], arena.angrymob());
        SAME(expected["notes"].items.size(), arena.notes().size());
        for (std::size_t k = 0; k < arena.notes().size(); ++k) {
            const Json& note = expected["notes"].items[k];
            SAME(note["code"].string, arena.notes()[k].code);
            SAME(note["turn"].integer(), arena.notes()[k].turn);
            SAME(bool(note["index"]), arena.notes()[k].index.has_value());
            SAME(note["index"].integer(), arena.notes()[k].index.value_or(0));
        }
    };

    std::string error;
    {
        lanista::Arena arena(options);
        const auto check_match = [&](const Json& expected, const lanista::AngryMob& state) {
            SAME(expected["match"].string, state.match);
            SAME(expected["game"].string, state.game);
            SAME(expected["seat"].integer(), state.seat);
            SAME(expected["players"], state.players);
            SAME(expected["clock"], std::vector<double>{state.clock.first, state.clock.other});
            SAME(expected["seed"].integer(), state.seed);
            for (const auto& [name, value] : expected["settings"].members)
                SAME(value.value, state.setting(name));
            SAME(expected["settings"].members.size(), state.settings.size());
            SAME(expected["rows"].integer(), state.rows);
            SAME(expected["cols"].integer(), state.cols);
            std::vector<std::vector<double>> bases;
            for (const auto base : state.bases) bases.push_back({double(base.i), double(base.j)});
            SAME(expected["bases"], bases);
        };
        try {
            std::string current;
            while (arena.next()) {
                const lanista::AngryMob& state = arena.angrymob();
                if (!current.empty() && current != state.match) {  // the last one is gone
                    SAME(matches.at(match)["asks"].items.size(), ask);
                    ++match;
                    ask = 0;
                }
                current = state.match;
                check_match(matches.at(match), state);
                const Json& expected = matches.at(match)["asks"].items.at(ask++);
                check_position(expected, state);
                for (const Json& line : expected["log"].items) arena.log(line.string);
                lanista::Moves moves;
                for (const Json& numbers : expected["answer"].items) {
                    moves.emplace_back();
                    for (const Json& number : numbers.items)
                        moves.back().push_back(number.integer());
                }
                arena.send(moves);
            }
        } catch (const ArenaError& caught_error) {
            error = caught_error.code();
        }
        if (!matches.empty()) end_match(arena);
        SAME(matches.empty() ? 0 : matches.size() - 1, match);
        for (const Json& expected : matches) {
            const Json& result = expected["result"];
            if (!result) continue;
            const lanista::Result& actual = arena.results().at(results++);
            SAME(result["end"].string, actual.end);
            SAME(result["ranks"], std::vector<double>(actual.ranks.begin(), actual.ranks.end()));
            SAME(result["scores"], actual.scores);
        }
        SAME(results, arena.results().size());
        SAME(true, arena.next() == nullptr);  // over is over, after an error too
    }
    SAME(vector["error"].string, error);
    server.join();
    SAME("", server.surplus);
}

inline void test_conversations(const char* path) {
    lanista::detail::pause = [](int) {};
    std::ifstream file(path);
    std::string line;
    int played = 0;
    for (; std::getline(file, line); ++played) {
        const Json vector = Json::parse(line);
        doing = "conversation: " + vector["name"].string;
        play(vector);
    }
    doing = "conversations";
    SAME(true, played > 0);
}

#endif
