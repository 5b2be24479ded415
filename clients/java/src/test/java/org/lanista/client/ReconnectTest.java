package org.lanista.client;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Connecting again: after what pauses, how it ends, and what the bot sees (PROTOCOL.md 8). */
final class ReconnectTest {
    private static final ArenaException REFUSED =
            new ArenaException("unreachable", "no arena", null);

    /** Connections as they come, the pauses between them, and what was printed meanwhile. */
    private static final class Connections {
        final List<Double> pauses = new ArrayList<>();
        final List<Wire> wires = new ArrayList<>();
        private final Deque<Object> coming = new ArrayDeque<>();

        /** Each is what the arena says on a connection, or why there is none. */
        Connections(Object... coming) {
            Collections.addAll(this.coming, coming);
        }

        Arena arena(boolean keep) {
            byte[] hello = Said.bytes("A v=1\n");
            return new Arena(new Connector(this::next, hello, true, pauses::add), keep, null, null);
        }

        private Connector.Connection next() {
            Object one = coming.remove();
            if (one instanceof ArenaException refused) {
                throw refused;
            }
            wires.add(Wire.of((String) one));
            return wires.get(wires.size() - 1).connection();
        }
    }

    /** What an action prints on System.err. */
    private static String printed(Runnable action) {
        PrintStream own = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            action.run();
        } finally {
            System.setErr(own);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Plays on, each turn answered with nothing; the states. */
    private static List<State> states(Arena arena) {
        List<State> states = new ArrayList<>();
        printed(
                () -> {
                    for (State state : arena) {
                        states.add(state);
                        arena.send();
                    }
                });
        return states;
    }

    private static void checkPauses(List<Double> pauses, double... longest) {
        Check.equal(longest.length, pauses.size());
        for (int at = 0; at < longest.length; at++) {
            double pause = pauses.get(at);
            Check.that(
                    longest[at] / 2 <= pause && pause <= longest[at],
                    "pause " + at + ", " + pause + " s, is one of " + longest[at]);
        }
    }

    void pausesDoubleToAMinuteLessARandomPart() {
        Object[] coming = new Object[41];
        double[] longest = new double[40];
        for (int at = 0; at < 40; at++) {
            coming[at] = REFUSED;
            longest[at] = Math.min(60, 0.5 * Math.pow(2, at));
        }
        coming[40] = "";
        Connections connections = new Connections(coming);
        String printed = printed(() -> connections.arena(false).close());
        checkPauses(connections.pauses, longest);
        Check.that(Set.copyOf(connections.pauses.subList(20, 40)).size() > 5, "random parts");
        Check.equal(40L, printed.lines().count());
        String first = printed.lines().iterator().next();
        Check.that(
                first.matches(
                        "lanista: unreachable: no arena; connecting again in 0[.][2-5] s"),
                first);
    }

    /** A welcome isn't enough for that: the arena may still refuse the bot. */
    void pausesBeginAnewOnceTheBotIsLetIn() {
        String welcome = "welcome 1 lanista 0.1.0\n";
        Connections connections =
                new Connections(
                        welcome, welcome, Said.WELCOME, welcome + Said.START, Said.MATCH);
        Check.equal(2, states(connections.arena(false)).size());
        checkPauses(connections.pauses, 0.5, 1, 0.5, 0.5);
    }

    void codesThatWouldComeAgainEndIt() {
        for (String code : new TreeSet<>(Connector.FINAL_CODES)) {
            String said = code.equals("unreadable") ? "turn x\n" : "error " + code + "\n";
            Connections connections = new Connections(Said.WELCOME + said);
            ArenaException thrown =
                    Check.thrown(ArenaException.class, () -> states(connections.arena(true)));
            Check.equal(code, thrown.code());
            checkPauses(connections.pauses);
        }
    }

    /** Of a turn that was cut nothing is left, wherever that was. */
    void cutAnywhereTheMatchGoesOnUnderTheSameState() {
        String opening = Said.WELCOME + Said.START + Said.TURN_0;
        String again = Said.WELCOME + Said.START + Said.TURN_1 + Said.FORFEIT + "bye\n";
        for (int at = 0; at < Said.TURN_1.length(); at++) {
            Connections connections =
                    new Connections(opening + Said.TURN_1.substring(0, at), again);
            Arena arena = connections.arena(false);
            List<State> states = states(arena);
            Check.equal(2, states.size());
            Check.that(states.get(0) == states.get(1), "there is one state");
            AngryMobState state = (AngryMobState) states.get(1);
            Check.equal(1, state.turn());
            Check.equal(2, state.mine().get(new Cell(1, 1)));
            Check.equal("forfeit", arena.result().end());
            Check.equal(1, connections.wires.get(0).closed);
            for (Wire wire : connections.wires) {
                Check.equal("A v=1\n\n", wire.sent());
            }
        }
    }

    void anotherMatchHasAnotherState() {
        String other = Said.MATCH.replace("01JDEXAMPLE", "01JDOTHER");
        Arena arena =
                new Connections(Said.WELCOME + Said.START + Said.TURN_0, other).arena(false);
        List<State> states = states(arena);
        Check.equal(3, states.size());
        Check.that(states.get(0) != states.get(1), "another state");
        Check.that(states.get(1) == states.get(2), "one state a match");
        Check.equal(1, arena.results().size());
    }

    void withoutKeepTheEndOfAMatchIsTheEnd() {
        Connections connections = new Connections(Said.MATCH);
        Check.equal(2, states(connections.arena(false)).size());
        Connections shutDown = new Connections(Said.MATCH.replace("bye", "error shutdown"));
        Check.thrown(ArenaException.class, () -> states(shutDown.arena(false)));
        Check.equal(0, connections.pauses.size() + shutDown.pauses.size());
    }

    void anInterruptEndsAPause() {
        Connector.Sleep interrupted =
                seconds -> {
                    throw new InterruptedException();
                };
        Connector.Source none =
                () -> {
                    throw REFUSED;
                };
        Connector connector = new Connector(none, new byte[0], true, interrupted);
        printed(() -> Check.thrown(ArenaException.class, () -> connector.first()));
        Check.that(Thread.interrupted(), "the interrupt isn't lost");
    }
}
