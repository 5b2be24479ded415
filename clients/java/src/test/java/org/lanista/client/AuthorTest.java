package org.lanista.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;

/** What a bot's author does with the client, rightly and wrongly. */
final class AuthorTest {
    private static final String OPENING = Said.WELCOME + Said.START + Said.TURN_0;
    private static final String SECOND =
            Said.START.replace("01JDEXAMPLE", "01JDSECOND").replace("seat 0", "seat 1")
                    + Said.TURN_0;

    private static String answer(Move... moves) {
        Wire wire = Wire.of(OPENING);
        Arena arena = wire.arena();
        arena.iterator().next();
        arena.send(moves);
        Check.equal(1, wire.writes.size());
        return wire.sent();
    }

    /** PROTOCOL.md 4: one after another with no separator; one write; empty is no submoves. */
    void submovesBecomeOneLine() {
        Check.equal("\n", answer());
        Check.equal("2 1 1 0\n", answer(Move.of(2, 1, 1, 0)));
        Check.equal("2 1 1 0 0 0 -1 3\n", answer(Move.of(2, 1, 1, 0), Move.of(0, 0, -1, 3)));
        Check.equal("m 4 2\n", answer(Move.of('m', 4, 2)));
    }

    /** The turn may still be answered rightly. */
    void aNullAmongTheMovesIsRefusedAndNothingSent() {
        Wire wire = Wire.of(OPENING);
        Arena arena = wire.arena();
        arena.iterator().next();
        IllegalArgumentException e =
                Check.thrown(
                        IllegalArgumentException.class,
                        () -> arena.send(Arrays.asList(Move.of(1), null)));
        Check.that(e.getMessage().contains("null is no submove"), e.getMessage());
        Check.equal("", wire.sent());
        arena.send();
        Check.equal("\n", wire.sent());
    }

    /** PROTOCOL.md 4: it would answer the next turn. */
    void aSecondAnswerToATurnIsMisuse() {
        Wire wire = Wire.of(OPENING);
        Arena arena = wire.arena();
        arena.iterator().next();
        arena.send();
        IllegalStateException e =
                Check.thrown(IllegalStateException.class, () -> arena.send(Move.of(2, 1, 1, 0)));
        Check.that(e.getMessage().contains("once for each state"), e.getMessage());
        Check.equal("\n", wire.sent());
    }

    /** Also where the turn has been read, but not been given out. */
    void anAnswerBeforeTheFirstStateIsMisuse() {
        Arena arena = Wire.of(OPENING).arena();
        Check.thrown(IllegalStateException.class, () -> arena.send());
        Check.that(arena.iterator().hasNext(), "there is a turn");
        Check.thrown(IllegalStateException.class, () -> arena.send());
        arena.iterator().next();
        arena.send();
    }

    /** Both sides would wait for each other until the clock ends it. */
    void aTurnWithoutAnAnswerIsMisuse() {
        Arena arena = Wire.of(OPENING).arena();
        Iterator<State> states = arena.iterator();
        states.next();
        IllegalStateException e = Check.thrown(IllegalStateException.class, states::hasNext);
        Check.that(e.getMessage().contains("turn 0 wasn't answered"), e.getMessage());
        Check.thrown(IllegalStateException.class, states::next);
    }

    void lookingTwiceForATurnIsLookingOnce() {
        Iterator<State> states = Wire.of(OPENING + Said.TURN_1).arena().iterator();
        Check.that(states.hasNext() && states.hasNext(), "there is a turn");
        Check.equal(0, states.next().turn());
    }

    void statesOfAnotherGameAreMisuse() {
        Iterator<HogwartsState> states =
                Wire.of(OPENING).arena().states(HogwartsState.class).iterator();
        IllegalStateException e = Check.thrown(IllegalStateException.class, states::next);
        Check.that(e.getMessage().startsWith("the arena plays angrymob"), e.getMessage());
    }

    private static String logged(String text) {
        Wire wire = Wire.of(OPENING);
        Arena arena = wire.arena();
        arena.iterator().next();
        arena.log(text);
        Check.equal(1, wire.writes.size());
        return wire.sent();
    }

    /** PROTOCOL.md 4; whatever breaks a line begins a new one. */
    void logLinesBeginWithANumberSign() {
        Check.equal("# plan: wait\n", logged("plan: wait"));
        Check.equal("# one\n# two\n# three\n", logged("one\ntwo\r\nthree\n"));
        Check.equal("# \n", logged(""));
        Check.equal("# \n", logged("\n"));
        Check.equal("# a\n# \n# b\n", logged("a\n\nb"));
        Check.equal("# a\n# \n# b\n", logged("a\r\rb"));
        Check.equal("# é\n# ü\n", logged("é\u2028ü"));
        Check.equal("#   1 2\n", logged("  1 2"));
    }

    private static String drawn(Consumer<Draw> use) {
        StringBuilder sent = new StringBuilder();
        use.accept(new Draw(sent::append));
        return sent.toString();
    }

    /** PROTOCOL.md 9; the other libraries are tested with the same lines. */
    void eachDrawingIsLinesOfTheForm() {
        Cell cell = new Cell(3, 4);
        Pos above = new Pos(3, 4, 1);
        List<Cell> path = List.of(cell, new Cell(3, 9), new Cell(12, 9));
        Check.equal("#@ cell 3 4 red\n", drawn(draw -> draw.cell(cell, "red")));
        Check.equal("#@ cell 3 4 1 #8040ff\n", drawn(draw -> draw.cell(above, "#8040ff")));
        Check.equal("#@ cell 3 4 3 9 12 9 blue\n", drawn(draw -> draw.cells(path, "blue")));
        Check.equal("#@ line 3 4 3 9 12 9 own\n", drawn(draw -> draw.line(path, "own")));
        Check.equal("#@ arrow 3 4 3 9 12 9 pink\n", drawn(draw -> draw.arrow(path, "pink")));
        Check.equal("#@ text 3 4 ink go on\n", drawn(draw -> draw.text(cell, "go on", "ink")));
        Check.equal("#@ text 3 4 1 ink é\n", drawn(draw -> draw.text(above, "é", "ink")));
        Check.equal("#@ value danger 0.25\n", drawn(draw -> draw.value("danger", 0.25)));
        Check.equal("#@ value danger -7\n", drawn(draw -> draw.value("danger", -7)));
    }

    void aChangeOfTheLevelBeginsAnotherLine() {
        List<Pos> up =
                List.of(
                        new Pos(1, 1, 0),
                        new Pos(1, 2, 0),
                        new Pos(1, 2, 1),
                        new Pos(1, 3, 1),
                        new Pos(1, 3, 0));
        Check.equal(
                "#@ arrow 1 1 1 2 0 red\n#@ arrow 1 2 1 3 1 red\n",
                drawn(draw -> draw.arrow(up, "red")));
        Check.equal(
                "#@ cell 1 1 1 2 0 red\n#@ cell 1 2 1 3 1 red\n#@ cell 1 3 0 red\n",
                drawn(draw -> draw.cells(up, "red")));
        Check.equal("", drawn(draw -> draw.line(List.of(new Cell(1, 1)), "red")));
        Check.equal("", drawn(draw -> draw.cells(List.of(), "red")));
    }

    /** PROTOCOL.md 1: a line past 65,536 bytes would lose the match; a part of it isn't drawn. */
    void noTextEndsADrawingOrMakesItTooLong() {
        Cell cell = new Cell(1, 2);
        Check.equal(
                "#@ text 1 2 red a b   c\n",
                drawn(draw -> draw.text(cell, "a\nb\r\u0085\u2028c", "red")));
        Check.equal("#@ cell 1 2 red 1 2 1 0\n", drawn(draw -> draw.cell(cell, "red\n1 2 1 0")));
        String snakes = "\uD83D\uDC0D".repeat(40_000);
        String line = drawn(draw -> draw.text(cell, snakes, "red"));
        Check.that(line.getBytes(StandardCharsets.UTF_8).length <= 65_536, "not too long");
        Check.that(line.codePointCount(0, line.length()) > 8000 && line.endsWith("\n"), "refused");
    }

    /** PROTOCOL.md 1: a line past 65,536 bytes would lose the match. */
    void longLogLinesAreDivided() {
        String snake = "\uD83D\uDC0D"; // 4 bytes
        List<String> lines = List.of(logged(snake.repeat(40_000)).split("\n"));
        Check.equal(5, lines.size());
        int bytes = 0;
        for (String line : lines) {
            Check.that(line.startsWith("# " + snake), "it begins a log line with a whole snake");
            int length = line.getBytes(StandardCharsets.UTF_8).length;
            Check.that(length < 65_536, "it is short enough");
            bytes += length - 2;
        }
        Check.equal(40_000 * 4, bytes);
        Check.equal(2, logged("x".repeat(8192) + "y").split("\n").length);
        Check.equal(1, logged("x".repeat(8192)).split("\n").length);
    }

    /** PROTOCOL.md 7: code, turn, the submove's place or `-`, words. */
    void notesAreKept() {
        String notes = "note illegal 0 2 no unit in (1, 1)\nnote late 0 -\n";
        Arena arena = Wire.of(OPENING + notes + Said.FORFEIT + "bye\n").arena();
        for (State state : arena) {
            arena.send();
            Check.equal(0, arena.notes().size());
        }
        Check.equal(
                List.of(
                        new Note("illegal", 0, OptionalInt.of(2), "no unit in (1, 1)"),
                        new Note("late", 0, OptionalInt.empty(), "")),
                arena.notes());
    }

    void anErrorIsThrownWithItsCode() {
        Arena arena = Wire.of("error name-taken Ann is playing already\n").arena();
        ArenaException e = Check.thrown(ArenaException.class, () -> arena.iterator().next());
        Check.equal("name-taken", e.code());
        Check.equal("Ann is playing already", e.words());
        Check.equal("name-taken: Ann is playing already", e.getMessage());
        Check.that(!arena.iterator().hasNext(), "over is over");
        Check.thrown(NoSuchElementException.class, () -> arena.iterator().next());
    }

    void anErrorWithoutWordsIsItsCode() {
        Arena arena = Wire.of("error late\n").arena();
        ArenaException e = Check.thrown(ArenaException.class, () -> arena.iterator().next());
        Check.equal("late", e.getMessage());
    }

    void anErrorDoesNothingToATerminal() {
        Arena arena = Wire.of("error \u001bc the\u202e wörd's\n").arena();
        ArenaException e = Check.thrown(ArenaException.class, () -> arena.iterator().next());
        Check.equal("\\u{1b}c: the\\u{202e} wörd's", e.getMessage());
        Check.equal("\u001bc", e.code());
        Check.equal("the\u202e wörd's", e.words());
        String result = new Result("\u001bc", List.of(), List.of()).toString();
        Check.equal("Result[end=\\u{1b}c, ranks=[], scores=[]]", result);
    }

    /** PROTOCOL.md 3: it comes instead of `end`. */
    void aShutdownInMidMatchIsAnError() {
        Arena arena = Wire.of(OPENING + "error shutdown\n").arena();
        arena.iterator().next();
        arena.send();
        ArenaException e = Check.thrown(ArenaException.class, () -> arena.iterator().next());
        Check.equal("shutdown", e.code());
        Check.equal(null, arena.result());
    }

    void aConnectionLostInMidMatchIsAnError() {
        for (boolean keep : new boolean[] {false, true}) {
            for (Wire wire :
                    List.of(
                            Wire.of(OPENING),
                            Wire.of(OPENING, "turn 1\nunit"),
                            Wire.of(OPENING).reset())) {
                Arena arena = wire.arena(keep);
                arena.iterator().next();
                arena.send();
                ArenaException e =
                        Check.thrown(ArenaException.class, () -> arena.iterator().hasNext());
                Check.equal("disconnected", e.code());
            }
        }
    }

    /** A seat that is thrown out learns why, not that its pipe is broken. */
    void whatTheArenaSaidBeforeClosingIsReadThoughSendingFails()
            throws IOException, InterruptedException {
        try (ScriptedArena scripted =
                        ScriptedArena.script()
                                .hears("A v=1\n")
                                .says(OPENING + "error late ten turns in a row\n")
                                .start();
                Arena arena = bot(scripted)) {
            arena.iterator().next();
            scripted.join(); // the arena has closed: the answer meets nobody
            arena.send();
            arena.log("still here");
            arena.log("still here");
            ArenaException e =
                    Check.thrown(ArenaException.class, () -> arena.iterator().hasNext());
            Check.equal("late: ten turns in a row", e.getMessage());
        }
    }

    void leavingTheBlockClosesTheConnection() throws IOException {
        Arena left;
        try (ScriptedArena scripted =
                ScriptedArena.script()
                        .hears("A v=1\n")
                        .says(OPENING)
                        .hears("\n")
                        .start()) {
            try (Arena arena = bot(scripted)) {
                left = arena;
                for (State state : arena) {
                    arena.send();
                    break;
                }
            }
        }
        left.close(); // once more does no harm
        Check.thrown(IllegalStateException.class, () -> left.send());
        Check.that(!left.iterator().hasNext(), "closed is over");
        Wire wire = Wire.of(OPENING);
        Arena arena = wire.arena();
        Check.that(arena.iterator().hasNext(), "there is a turn");
        arena.close();
        Check.that(!arena.iterator().hasNext(), "closed is over");
        Check.equal(1, wire.closed);
    }

    /** Else the arena would wait for an answer while other threads keep the process going. */
    void anUncaughtExceptionClosesTheConnection() throws IOException, InterruptedException {
        Arena[] left = new Arena[1];
        try (ScriptedArena scripted =
                ScriptedArena.script().hears("A v=1\n").says(OPENING).start()) {
            Thread thread =
                    new Thread(
                            () -> {
                                left[0] = bot(scripted);
                                left[0].iterator().next();
                                throw new ArenaException("late", "by the test", null);
                            });
            thread.start();
            thread.join();
        }
        Check.that(!left[0].iterator().hasNext(), "closed is over");
    }

    private static Arena bot(ScriptedArena scripted) {
        return new ArenaBuilder(Map.of()).name("A").port(scripted.port()).connect();
    }

    /** A new state for each, notes of the current one, a result after each, void ones too. */
    void keepPlaysMatchAfterMatch() {
        String end = "end void\nrank 0 1\nrank 1 1\nscore 0 1\nscore 1 1\n";
        Wire wire =
                Wire.of(
                        OPENING + "note late 0 - x\n" + end,
                        Said.START + Said.TURN_0 + Said.TURN_1 + Said.FORFEIT,
                        "wait 1 2\nwait 2 2\n" + SECOND + Said.FORFEIT + "bye\n");
        Arena arena = wire.arena(true);
        Set<State> states = Collections.newSetFromMap(new IdentityHashMap<>());
        List<String> seen = new ArrayList<>();
        for (State state : arena) {
            states.add(state);
            seen.add(state.match() + " " + state.seat() + " " + state.turn()
                    + " " + arena.notes().size());
            arena.send(Move.of(state.seat()));
        }
        Check.equal(
                List.of(
                        "01JDEXAMPLE 0 0 0",
                        "01JDEXAMPLE 0 0 0",
                        "01JDEXAMPLE 0 1 0",
                        "01JDSECOND 1 0 0"),
                seen);
        Check.equal(3, states.size());
        List<String> ends = new ArrayList<>();
        for (Result result : arena.results()) {
            ends.add(result.end());
        }
        Check.equal(List.of("void", "forfeit", "forfeit"), ends);
        Check.that(arena.result() == arena.results().get(2), "the result is the last one");
        Check.equal("0\n0\n0\n1\n", wire.sent());
    }

    void keepEndsWellBetweenMatches() {
        for (String last : List.of("", "wait 1 2\n", "bye\n")) {
            Arena arena = Wire.of(OPENING + Said.FORFEIT + last).arena(true);
            for (State state : arena) {
                arena.send();
            }
            Check.equal(1, arena.results().size());
        }
    }

    void keepTellsAShutdownBetweenMatchesAfterTheResult() {
        Arena arena = Wire.of(OPENING + Said.FORFEIT + "error shutdown\n").arena(true);
        arena.iterator().next();
        arena.send();
        Check.thrown(ArenaException.class, () -> arena.iterator().hasNext());
        Check.equal("forfeit", arena.result().end());
    }

    /** Even if the arena began another. */
    void withoutKeepOneMatchIsAll() {
        Arena arena = Wire.of(OPENING + Said.FORFEIT + SECOND).arena();
        for (State state : arena) {
            Check.equal("01JDEXAMPLE", state.match());
            arena.send();
        }
        Check.equal(1, arena.results().size());
        Check.equal("01JDEXAMPLE", arena.state().match());
    }
}
