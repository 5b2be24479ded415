package org.lanista.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A match as one seat sees it, whatever the game; there is one object a match, kept current.
 *
 * <p>What a method gives is true until the next turn is asked for; collections can't be changed.
 */
public class State {
    private final String match;
    private final String game;
    private final int seat;
    private final List<String> players;
    private final Clock clock;
    private final int seed;
    private final Map<String, String> settings;
    private final Facts start;
    private Facts facts = new Facts();
    private int turn;

    /** Reads what is so for the whole match. */
    State(String match, Facts start) {
        this.match = match;
        this.start = start;
        game = start.only("game").get(0);
        seat = Facts.integer(start.only("seat"), 0);
        List<String> names = new ArrayList<>();
        for (List<String> line : start.numbered("player")) {
            names.add(Facts.rest(line, 0));
        }
        players = Collections.unmodifiableList(names);
        Facts.require(0 <= seat && seat < names.size(), "no player in seat " + seat);
        List<Double> times = start.decimals("clock", 2);
        clock = new Clock(times.get(0), times.get(1));
        seed = Facts.integer(start.only("seed"), 0);
        Map<String, String> values = new LinkedHashMap<>();
        for (List<String> line : start.all("set")) {
            values.put(line.get(0), Facts.rest(line, 1));
        }
        settings = Collections.unmodifiableMap(values);
    }

    /** The state that knows a game's facts; one of its own for each game that this client knows. */
    static State of(String match, Facts start) {
        return switch (start.only("game").get(0)) {
            case "angrymob" -> new AngryMobState(match, start);
            case "hogwarts" -> new HogwartsState(match, start);
            case "crematoria" -> new CrematoriaState(match, start);
            default -> new State(match, start);
        };
    }

    /** Takes the facts of a turn, once all of them are known. */
    void update(int turn, Facts facts) {
        this.turn = turn;
        this.facts = facts;
    }

    /** {@return the arena's id of the match} */
    public final String match() {
        return match;
    }

    /** {@return the ruleset's name} */
    public final String game() {
        return game;
    }

    /** {@return which player we are, from 0} */
    public final int seat() {
        return seat;
    }

    /** {@return the name in each seat} */
    public final List<String> players() {
        return players;
    }

    /** {@return the time for answers} */
    public final Clock clock() {
        return clock;
    }

    /**
     * {@return a number for our own random choices, 0 to 2147483647, another one in every match: a
     * {@code new Random(state.seed())} makes a match repeatable}
     */
    public final int seed() {
        return seed;
    }

    /** {@return the ruleset's settings by its own names, as they were sent} */
    public final Map<String, String> settings() {
        return settings;
    }

    /**
     * Gives a setting that is a number.
     *
     * @param name the ruleset's name of it
     * @return its value
     * @throws IllegalArgumentException there is no such setting, or it is no number
     */
    public final double setting(String name) {
        String value = settings.get(name);
        if (value == null) {
            throw new IllegalArgumentException(
                    "no setting " + Text.quoted(name) + "; there are " + settings.keySet());
        }
        return Double.parseDouble(value);
    }

    /** {@return how many moves have been played} */
    public final int turn() {
        return turn;
    }

    /**
     * {@return every line of this turn: its keyword, then for each line with that keyword the list
     * of the other words}
     */
    public final Map<String, List<List<String>>> facts() {
        return facts.asMap();
    }

    /** {@return every line that described the match, in the same form} */
    public final Map<String, List<List<String>>> startFacts() {
        return start.asMap();
    }
}
