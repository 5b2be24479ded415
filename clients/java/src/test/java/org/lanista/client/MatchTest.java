package org.lanista.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.lanista.client.AngryMobState.Direction;
import org.lanista.client.AngryMobState.Moved;
import org.lanista.client.AngryMobState.Way;

/** A match through the client: bytes in, states and bytes out (PROTOCOL.md 3 to 5). */
final class MatchTest {
    private static final String OPENING = Said.WELCOME + Said.START + Said.TURN_0;

    /** Plays on, each answer telling the turn; what was seen of each state. */
    private static List<String> played(Arena arena) {
        List<String> seen = new ArrayList<>();
        for (AngryMobState state : arena.states(AngryMobState.class)) {
            seen.add(state.turn() + " " + state.mine() + state.theirs() + state.neutral()
                    + state.totals() + state.moved());
            arena.send(Move.of(state.turn(), 0, 0, 0));
        }
        return seen;
    }

    private static AngryMobState first(String said) {
        return (AngryMobState) Wire.of(said).arena().iterator().next();
    }

    private static Cell cell(int i, int j) {
        return new Cell(i, j);
    }

    /** The conversation in its order: nothing is sent before it is asked for, one line a turn. */
    void aMatchOverASocket() throws IOException {
        try (ScriptedArena scripted =
                        ScriptedArena.script()
                                .hears("Ann Lee v=1 game=angrymob\n")
                                .says(OPENING)
                                .hears("2 1 1 1\n")
                                .says(Said.TURN_1)
                                .hears("1 1 1 0 1 1 1 1\n")
                                .says(Said.FORFEIT + "bye\n")
                                .start();
                Arena arena =
                        new ArenaBuilder(Map.of())
                                .name("Ann Lee")
                                .game("angrymob")
                                .port(scripted.port())
                                .connect()) {
            Iterator<State> states = arena.iterator();
            Check.equal(0, states.next().turn());
            arena.send(AngryMobState.move(cell(2, 1), 1, Direction.UP));
            Check.equal(1, states.next().turn());
            arena.send(List.of(Move.of(1, 1, 1, 0), Move.of(1, 1, 1, 1)));
            Check.that(!states.hasNext(), "the match is over");
            Check.equal(
                    new Result("forfeit", List.of(1, 2), List.of(2.0, 2.0)), arena.result());
            Check.equal(
                    "Result[end=forfeit, ranks=[1, 2], scores=[2, 2]]",
                    arena.result().toString());
        }
    }

    void theFactsOfTheMatch() {
        AngryMobState state = first(Said.MATCH);
        Check.equal("01JDEXAMPLE", state.match());
        Check.equal("angrymob", state.game());
        Check.equal(0, state.seat());
        Check.equal(List.of("Ann Lee", "Böb"), state.players());
        Check.equal(new Clock(20, 0.2), state.clock());
        Check.equal(52011, state.seed());
        Check.equal(Map.of("move_limit", "2400"), state.settings());
        Check.equal(2400.0, state.setting("move_limit"));
        Check.thrown(IllegalArgumentException.class, () -> state.setting("speed"));
        Check.equal(6, state.rows());
        Check.equal(7, state.cols());
        Check.equal(List.of(cell(2, 1), cell(3, 5)), state.bases());
        Check.equal(cell(2, 1), state.base());
        Check.equal(cell(3, 5), state.enemyBase());
        Check.equal(12, state.neutral().size()); // counted on the page
        Check.equal(3, state.neutral().get(cell(1, 4)));
        Check.equal(3, state.neutral().get(cell(4, 2)));
        Check.equal(
                List.of("0", ".", "1", ".", ".", "#", "#", "2"),
                state.startFacts().get("row").get(0));
    }

    void theOtherSeatSeesItselfAsMine() {
        AngryMobState state = first(OPENING.replace("seat 0", "seat 1"));
        Check.equal(cell(3, 5), state.base());
        Check.equal(cell(2, 1), state.enemyBase());
        Check.equal(Map.of(cell(3, 5), 1), state.mine());
        Check.equal(Map.of(cell(2, 1), 1), state.theirs());
    }

    /** Outside the map nothing is passable; a base is; directions are those of the rules. */
    void passableAndNeighbours() {
        AngryMobState state = first(Said.MATCH);
        Check.that(state.passable(2, 1), "a base is passable");
        Check.that(state.passable(cell(0, 1)), "neutral units can be walked to");
        Check.that(!state.passable(0, 4), "# is not passable");
        for (Cell outside : List.of(cell(-1, 0), cell(0, -1), cell(6, 0), cell(0, 7))) {
            Check.that(!state.passable(outside), outside + " is outside");
        }
        Check.equal(
                List.of(
                        new Way(Direction.RIGHT, cell(2, 2)),
                        new Way(Direction.UP, cell(1, 1)),
                        new Way(Direction.LEFT, cell(2, 0)),
                        new Way(Direction.DOWN, cell(3, 1))),
                state.neighbours(cell(2, 1)));
        Check.equal(
                List.of(new Way(Direction.RIGHT, cell(0, 1))), state.neighbours(cell(0, 0)));
        Check.equal(List.of(-1, 0), List.of(Direction.UP.di(), Direction.UP.dj()));
    }

    /** Around impassable cells; through {@code blocked} never; {@code within} ends the search. */
    void distances() {
        AngryMobState state = first(Said.MATCH);
        Map<Cell, Integer> steps = state.distances(List.of(cell(0, 1)));
        Check.equal(
                List.of(32, 2, 10),
                List.of(steps.size(), steps.get(cell(2, 1)), steps.get(cell(5, 6))));
        Set<Cell> blocked = Set.of(cell(1, 1));
        int all = Integer.MAX_VALUE;
        Check.equal(4, state.distances(List.of(cell(0, 1)), blocked, all).get(cell(2, 1)));
        Check.equal(
                Map.of(cell(0, 1), 0, cell(0, 2), 1, cell(0, 0), 1, cell(1, 1), 1),
                state.distances(List.of(cell(0, 1)), Set.of(), 1));
        Check.equal(Map.of(), state.distances(List.of(cell(-1, 0), cell(0, 7))));
    }

    /** Units are new each turn, neutral numbers are kept and corrected (PROTOCOL.md 5). */
    void theFactsOfATurn() {
        Arena arena = Wire.of(Said.MATCH).arena();
        AngryMobState state = (AngryMobState) arena.iterator().next();
        Check.equal(List.of(List.of(), List.of()), state.moved());
        Check.equal(1, state.neutral().get(cell(1, 1)));
        Map<Cell, Integer> before = state.mine();
        arena.send();
        Check.that(state == arena.iterator().next(), "one state a match");
        Check.equal(1, state.turn());
        Check.equal(Map.of(cell(1, 1), 2), state.mine());
        Check.equal(Map.of(cell(2, 1), 1), before);
        Check.equal(Map.of(cell(4, 5), 2), state.theirs());
        Check.equal(List.of(2, 2), state.totals());
        Check.equal(
                List.of(List.of(new Moved(2, 1, 1, 1)), List.of(new Moved(3, 5, 1, 3))),
                state.moved());
        Check.equal(10, state.neutral().size()); // 12 less the two that were recruited
        Check.that(!state.neutral().containsKey(cell(1, 1)), "these are recruited");
        Check.equal(
                List.of(List.of("1", "1", "0"), List.of("4", "5", "0")),
                state.facts().get("neutral"));
    }

    /** Starters depend on it: units in the order of the lines. */
    void unitsComeInTheOrderOfTheirLines() {
        AngryMobState state =
                first(Said.WELCOME + Said.START
                        + "turn 0\nunit 0 3 0 5\nunit 1 1 0 2\nunit 5 0 0 9\ngo\n");
        Check.equal(
                List.of(cell(0, 3), cell(1, 1), cell(5, 0)), List.copyOf(state.mine().keySet()));
        Check.equal(cell(0, 1), state.neutral().keySet().iterator().next());
    }

    void aNeutralNumberMayChangeToAnother() {
        AngryMobState state =
                first(Said.WELCOME + Said.START + "turn 0\nneutral 1 1 7\nneutral 0 0 2\ngo\n");
        Check.equal(7, state.neutral().get(cell(1, 1)));
        Check.equal(2, state.neutral().get(cell(0, 0)));
    }

    /** It is in `arena.state()` after the iteration (PROTOCOL.md 3). */
    void theFinalPositionHasNoGo() {
        String last =
                "turn 2\nunit 3 5 0 4\ntotal 0 4\ntotal 1 0\nend finished\nrank 0 1\nrank 1 2\n"
                        + "score 0 4\nscore 1 0\nbye\n";
        Arena arena = Wire.of(OPENING + last).arena();
        Check.equal(1, played(arena).size());
        AngryMobState state = (AngryMobState) arena.state();
        Check.equal(2, state.turn());
        Check.equal(Map.of(cell(3, 5), 4), state.mine());
        Check.equal(Map.of(), state.theirs());
        Check.equal("finished", arena.result().end());
    }

    /** PROTOCOL.md 3: a bot must not rely on it. */
    void orderBetweenTurnAndGoMeansNothing() {
        List<String> start = new ArrayList<>(List.of(Said.START.split("\n")));
        Collections.reverse(start.subList(1, start.size()));
        List<String> turn = new ArrayList<>(List.of(Said.TURN_1.split("\n")));
        Collections.reverse(turn.subList(1, turn.size() - 1));
        String crossed =
                Said.WELCOME + String.join("\n", start) + "\n" + Said.TURN_0
                        + String.join("\n", turn) + "\n" + Said.FORFEIT + "bye\n";
        Arena arena = Wire.of(crossed).arena();
        Check.equal(played(Wire.of(Said.MATCH).arena()), played(arena));
        Check.equal(List.of("Ann Lee", "Böb"), arena.state().players());
    }

    /** PROTOCOL.md 3; those of a turn can be read in `state.facts()`. */
    void unknownKeywordsArePassedOverWhereverTheyStand() {
        List<String> expected = played(Wire.of(Said.MATCH).arena());
        String noisy = "weather 1 rain\n" + Said.MATCH.replace("\n", "\nweather 1 rain\n");
        Check.equal(expected, played(Wire.of(noisy).arena()));
        State state = first(OPENING.replace("go\n", "weather 1 rain\nweather 2\n\nfog\ngo\n"));
        Check.equal(List.of(List.of("1", "rain"), List.of("2")), state.facts().get("weather"));
        Check.equal(List.of(List.of()), state.facts().get("fog"));
    }

    void splitAtEveryByteTheMatchIsTheSame() {
        Wire whole = Wire.of(Said.MATCH);
        List<String> expected = played(whole.arena());
        byte[] match = Said.bytes(Said.MATCH);
        for (int at = 1; at < match.length; at++) {
            Wire wire = new Wire();
            wire.add(Arrays.copyOf(match, at)).add(Arrays.copyOfRange(match, at, match.length));
            Check.equal(expected, played(wire.arena()));
            Check.equal(whole.sent(), wire.sent());
        }
        Wire slow = Wire.byteByByte(Said.MATCH);
        Check.equal(expected, played(slow.arena()));
        Check.equal(whole.sent(), slow.sent());
    }

    /** PROTOCOL.md 1: an unfinished last line is dropped, complete lines before it are used. */
    void cutOffAtAnyByteItIsDisconnectedOrOver() {
        byte[] match = Said.bytes(Said.MATCH);
        int after = (Said.FORFEIT + "bye\n").length() - "end forfeit\n".length();
        int ended = match.length - after;
        for (int at = 0; at < match.length; at++) {
            Arena arena = new Wire().add(Arrays.copyOf(match, at)).arena();
            if (at < ended) {
                ArenaException e = Check.thrown(ArenaException.class, () -> played(arena));
                Check.equal("disconnected", e.code());
                Check.equal(null, arena.result());
            } else {
                played(arena);
                Check.equal("forfeit", arena.result().end());
            }
        }
    }

    /** Such as names that another arena let through. */
    void bytesThatAreNoUtf8DoNoHarm() {
        byte[] bytes = OPENING.getBytes(StandardCharsets.ISO_8859_1);
        State state = new Wire().add(bytes).arena().iterator().next();
        Check.equal(List.of("Ann Lee", "B\uFFFDb"), state.players());
    }

    /** Only memory limits a line of the arena; what follows it is read as ever. */
    void aLineMayBeLong() {
        String word = "x".repeat(3_000_000);
        String opening = OPENING.replace("go\n", "weather " + word + " rain\ngo\n");
        Arena arena = Wire.of(opening, Said.TURN_1).arena();
        State state = arena.iterator().next();
        Check.equal(List.of(List.of(word, "rain")), state.facts().get("weather"));
        arena.send();
        Check.equal(1, arena.iterator().next().turn());
    }

    void whatIsOutsideTheProtocolIsUnreadable() {
        String start = Said.WELCOME + Said.START;
        for (String said :
                List.of(
                        "go\n",
                        "turn 0\n",
                        "start\n",
                        start + "go\n",
                        start + "turn x\n",
                        start.replace("game angrymob\n", "") + "turn 0\n",
                        start.replace("size 6 7", "size 7 7") + "turn 0\n",
                        start.replace("size 6 7", "size 6 8") + "turn 0\n",
                        start.replace("base 1 3 5\n", "") + "turn 0\n",
                        OPENING.replace("unit 2 1 0 1", "unit 2 1 0"),
                        OPENING.replace("unit 2 1 0 1", "unit 2 1 0 many"),
                        start + Said.TURN_0.replace("go\n", "") + "note late\n",
                        start + "end finished\nrank 0\nbye\n",
                        start + "end finished\nrank 0\n")) {
            Arena arena = Wire.of(said).arena();
            ArenaException e = Check.thrown(ArenaException.class, () -> played(arena));
            Check.equal("unreadable", e.code());
            Check.that(e.words().startsWith("the client can't use '"), e.words());
            Check.that(!arena.iterator().hasNext(), "over is over");
        }
    }

    /** No other exception: neither half of a match nor bytes of something else. */
    void whateverComesIsAMatchOrAnArenaException() {
        String[] keywords = {
            "start", "turn", "go", "end", "rank", "score", "note", "wait", "bye", "error", "unit",
            "row", "size", "neutral", "total", "set", "é", "", "player", "seat", "base"
        };
        String[] match = Said.MATCH.split("\n");
        Random random = new Random(7);
        int over = 0;
        for (int round = 0; round < 500; round++) {
            Wire wire = Wire.of(random.nextBoolean() ? Said.WELCOME + Said.START : "");
            for (int line = random.nextInt(40); line > 0; line--) {
                byte[] noise = new byte[random.nextInt(20)];
                random.nextBytes(noise);
                StringBuilder words =
                        new StringBuilder(keywords[random.nextInt(keywords.length)]);
                for (int word = random.nextInt(6); word > 0; word--) {
                    words.append(' ').append(random.nextInt(108) - 9);
                }
                switch (random.nextInt(3)) {
                    case 0 -> wire.add(Said.bytes(match[random.nextInt(match.length)]));
                    case 1 -> wire.add(Said.bytes(words.toString()));
                    default -> wire.add(noise);
                }
                wire.add(Said.bytes("\n"));
            }
            Arena arena = wire.arena();
            try {
                for (State state : arena) {
                    arena.send();
                }
            } catch (ArenaException e) {
                over++;
            }
            Check.that(!arena.iterator().hasNext(), "over is over, after an error too");
        }
        Check.that(over > 0, "some of it was no match");
    }

    private static final String OTHER =
            """
            start 7
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
            """;

    /** Settings as they were sent; letters are sent as they are; seats sort the result. */
    void aGameWithoutAStateOfItsOwnIsPlayedByItsFacts() {
        Wire wire = Wire.of(Said.WELCOME + OTHER);
        Arena arena = wire.arena();
        for (State state : arena) {
            Check.equal(State.class, state.getClass());
            Check.equal(List.of(List.of("60", "60")), state.startFacts().get("size"));
            Check.equal("g", state.facts().get("unit").get(1).get(1));
            arena.send(Move.of('m', 4, 2), Move.parse("s 7 0 1 2"));
        }
        Check.equal("m 4 2 s 7 0 1 2\n", wire.sent());
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("rounds", "120");
        settings.put("risk", "0.25");
        settings.put("label", "deep end");
        Check.equal(settings, arena.state().settings());
        Check.equal(0.25, arena.state().setting("risk"));
        Check.equal(new Clock(0, 0), arena.state().clock());
        Check.equal(List.of(2, 1, 4, 3), arena.result().ranks());
        Check.equal(List.of(10.0, 10.5, -3.0, 0.0), arena.result().scores());
        Check.equal(
                "Result[end=finished, ranks=[2, 1, 4, 3], scores=[10, 10.5, -3, 0]]",
                arena.result().toString());
    }
}
