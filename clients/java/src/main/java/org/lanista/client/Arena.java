package org.lanista.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalInt;

/**
 * A connection to the arena; iterate over it to play: one state for each answer asked for.
 *
 * <pre>{@code
 * try (Arena arena = Arena.builder("MyBot").game("angrymob").connect()) {
 *     for (AngryMobState state : arena.states(AngryMobState.class)) {
 *         arena.send(Move.of(state.base().i(), state.base().j(), 1, 0));
 *     }
 *     System.out.println(arena.result());
 * }
 * }</pre>
 *
 * <p>The same state object comes again each turn, brought up to date. The iteration ends with the
 * match; with {@link ArenaBuilder#keep keep} it goes on with the next match, under a new state
 * object, until the arena closes. There is one iteration a connection: every iterator goes on where
 * the last one stopped.
 *
 * <p>One thread is meant to use it.
 */
public final class Arena implements Iterable<State>, AutoCloseable {
    /** Code points, at most 4 bytes each: within the 65,536 bytes of PROTOCOL.md 1. */
    private static final int LOG_PIECE = 1 << 13;

    private final Connector connector;
    private final boolean keep;
    private final Waiting waiting; // null: it isn't told that the bot waits
    private final String game; // the only one that it may be; null: any
    private Connector.Connection connection;
    private LineReader input;
    private final Iterator<State> turns = new Turns();
    private final Draw draw = new Draw(line -> write(line.getBytes(StandardCharsets.UTF_8)));
    private final List<Result> results = new ArrayList<>();
    private List<Note> notes = new ArrayList<>();
    private State state;
    private boolean asked; // a `go` has come, and the bot hasn't been given its state yet
    private boolean owes; // the bot has been given it, and hasn't answered
    private boolean over;
    private String match; // its id, from `start` to the end of its scores; null: none
    private String end; // why it ended, once `end` has come
    private boolean positioning; // the facts of a turn are coming in
    private int turn; // which
    private Facts facts = new Facts(); // where lines go that nothing below reads

    /** Connects. */
    Arena(Connector connector, boolean keep, Waiting waiting, String game) {
        this.connector = connector;
        this.keep = keep;
        this.waiting = waiting;
        this.game = game;
        open(connector.first());
    }

    private void open(Connector.Connection opened) {
        connection = opened;
        input = new LineReader(opened.input());
    }

    /** {@return a builder of a connection, for a bot whose name is in {@code LANISTA_NAME}} */
    public static ArenaBuilder builder() {
        return new ArenaBuilder(System.getenv());
    }

    /**
     * {@return a builder of a connection}
     *
     * @param name what to be called, 1 to 32 printable characters
     */
    public static ArenaBuilder builder(String name) {
        return builder().name(name);
    }

    /**
     * {@return the state of the current match, also after its end, then of the final position; null
     * before one}
     */
    public State state() {
        return state;
    }

    /** {@return the result of each match that has ended} */
    public List<Result> results() {
        return Collections.unmodifiableList(results);
    }

    /** {@return how the last match ended; null while none has} */
    public Result result() {
        return results.isEmpty() ? null : results.get(results.size() - 1);
    }

    /** {@return what the arena refused in the current match} */
    public List<Note> notes() {
        return Collections.unmodifiableList(notes);
    }

    /**
     * {@return the iteration over the states of the turns that ask for an answer}
     *
     * <p>Its {@code hasNext} waits for the arena. It throws {@link ArenaException} when the match
     * can't go on, and {@link IllegalStateException} when the last turn wasn't answered.
     */
    @Override
    public Iterator<State> iterator() {
        return turns;
    }

    /**
     * Gives the iteration over the states as those of one game.
     *
     * @param <S> the class of the game's states
     * @param type the same, such as {@code AngryMobState.class}
     * @return the states; if the arena plays another game, it throws {@link IllegalStateException}
     */
    public <S extends State> Iterable<S> states(Class<S> type) {
        return new Typed<>(turns, type);
    }

    /**
     * Answers the turn.
     *
     * @param moves the submoves; none at all is a valid answer
     * @throws IllegalStateException this turn is answered already. A connection that is lost
     *     meanwhile is told by the next step of the iteration, for the arena may have said why.
     * @throws IllegalArgumentException one of them is null; nothing is sent
     */
    public void send(Iterable<Move> moves) {
        if (!owes) {
            throw new IllegalStateException(
                    "no turn asks for an answer: send once for each state, not before it");
        }
        StringBuilder line = new StringBuilder();
        for (Move move : moves) {
            if (move == null) {
                throw new IllegalArgumentException(
                        "null is no submove: leave it out, and send no submoves to do nothing");
            }
            if (line.length() > 0) {
                line.append(' ');
            }
            line.append(move);
        }
        owes = false;
        write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Answers the turn; {@code send()} does nothing in it.
     *
     * @param moves the submoves
     * @throws IllegalStateException this turn is answered already
     * @throws IllegalArgumentException one of them is null; nothing is sent
     */
    public void send(Move... moves) {
        send(Arrays.asList(moves));
    }

    /**
     * Has the arena keep a text with this turn; long lines are divided (PROTOCOL.md 4).
     *
     * <p>It is sent at once, so that it isn't lost when the bot then fails. The arena keeps 16 KiB
     * a turn.
     *
     * @param text whatever breaks a line in it begins a new one
     */
    public void log(String text) {
        StringBuilder lines = new StringBuilder();
        int from = 0;
        do {
            int to = from;
            while (to < text.length() && !isLineBreak(text.charAt(to))) {
                to++;
            }
            appendPieces(lines, text, from, to);
            boolean two = text.startsWith("\r\n", to);
            from = to + (two ? 2 : 1);
        } while (from < text.length());
        write(lines.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** {@return what draws on the board of whoever may see this bot's log (PROTOCOL.md 9)} */
    public Draw draw() {
        return draw;
    }

    private static void appendPieces(StringBuilder lines, String text, int from, int to) {
        int at = from;
        do {
            int left = text.codePointCount(at, to);
            int next = left <= LOG_PIECE ? to : text.offsetByCodePoints(at, LOG_PIECE);
            lines.append("# ").append(text, at, next).append('\n');
            at = next;
        } while (at < to);
    }

    private static boolean isLineBreak(char c) {
        return c >= '\n' && c <= '\r'
                || c >= '\u001c' && c <= '\u001e'
                || c == '\u0085'
                || c == '\u2028'
                || c == '\u2029';
    }

    /** Closes the connection; in mid-match the arena takes that for a loss. Twice is once. */
    @Override
    public void close() {
        over = true;
        asked = false;
        owes = false;
        hangUp();
    }

    private void hangUp() {
        try {
            connection.closing().close();
        } catch (IOException e) {
            // It is closed all the same.
        }
    }

    private void write(byte[] bytes) {
        try {
            connection.output().write(bytes); // one call: one packet, if it is short
            connection.output().flush();
        } catch (IOException e) {
            // The arena has closed: what it said before that waits to be read, and says why.
        }
    }

    /** Reads on to the next turn that asks for an answer, or to the end. */
    private void play() {
        input.allow();
        while (!over && !asked) {
            try {
                if (input.advance()) {
                    read(input.words());
                } else if (input.isExhausted()) {
                    over = true;
                    String most = (LineReader.MOST >> 20) + " MiB";
                    String words = "the arena sent " + most + " without asking for an answer";
                    throw new ArenaException("unreadable", words, null);
                } else {
                    closed();
                }
            } catch (ArenaException e) {
                connectAgain(e);
            } catch (RuntimeException e) {
                over = true;
                String words = "the client can't use " + Text.quoted(input.toString());
                throw new ArenaException("unreadable", words, e);
            }
        }
    }

    /** Connects again after an error, unless that is final; the match stays what it is. */
    private void connectAgain(ArenaException error) {
        boolean played = !keep && !results.isEmpty();
        if (!connector.reconnects() || played) {
            throw error;
        }
        hangUp();
        open(connector.again(error));
        over = false;
        positioning = false;
        facts = new Facts();
    }

    private void read(String[] words) {
        if (words.length == 0) {
            return;
        }
        switch (words[0]) {
            case "start" -> start(words[1]);
            case "turn" -> turn(Integer.parseInt(words[1]));
            case "go" -> {
                position();
                asked = true;
            }
            case "note" -> {
                Note note = note(words);
                notes.add(note);
                if (waiting != null) {
                    waiting.tell(note);
                }
            }
            case "end" -> {
                if (positioning) { // the final position, which has no `go`
                    position();
                }
                end = words[1];
                facts = new Facts();
            }
            case "wait" -> {
                finish();
                connector.letIn();
                tellWaiting(words);
            }
            case "bye" -> {
                finish();
                over = true;
                if (stays()) {
                    throw new ArenaException("disconnected", "the arena said bye", null);
                }
            }
            case "error" -> {
                finish();
                over = true;
                throw new ArenaException(words[1], rest(words, 2), null);
            }
            default -> facts.add(words);
        }
    }

    /** Tells once that the bot waits, if the arena then says nothing for a second. */
    private void tellWaiting(String[] words) {
        if (waiting == null || waiting.isTold() || over) {
            return;
        }
        boolean silent = false;
        try {
            connection.patience().set(Waiting.SILENCE);
            silent = input.isSilent();
            connection.patience().set(0);
        } catch (IOException e) {
            // The connection is over: the next read says so.
        }
        if (silent) {
            waiting.tell(words);
        }
    }

    private void start(String id) {
        finish();
        connector.letIn();
        if (!over) {
            if (!id.equals(match)) { // else the bot is back in it, after a break
                state = null;
                notes = new ArrayList<>();
            }
            match = id;
            positioning = false;
            facts = new Facts();
        }
    }

    private void turn(int number) {
        if (state == null) {
            State begun = State.of(match, facts);
            Facts.require(game == null || game.equals(begun.game()), "another game");
            state = begun;
        }
        Facts.require(number >= 0, "a turn before the first");
        turn = number;
        positioning = true;
        facts = new Facts();
    }

    /** Gives the state the facts of the turn, complete now: their order says nothing. */
    private void position() {
        if (!positioning) {
            throw new IllegalArgumentException("a go without its turn");
        }
        positioning = false;
        state.update(turn, facts);
        facts = new Facts();
    }

    /** Makes the result of a match whose end, ranks and scores have come. */
    private void finish() {
        if (end == null) {
            return;
        }
        List<Integer> ranks = new ArrayList<>();
        for (List<String> line : facts.numbered("rank")) {
            ranks.add(Integer.valueOf(line.get(0)));
        }
        List<Double> scores = new ArrayList<>();
        for (List<String> line : facts.numbered("score")) {
            scores.add(Double.valueOf(line.get(0)));
        }
        results.add(new Result(end, ranks, scores));
        match = null;
        end = null;
        over = !keep;
    }

    /** The connection has ended without `bye`: that is well between matches alone. */
    private void closed() {
        finish();
        over = true;
        String words;
        String advice;
        if (match != null) {
            words = "the connection ended in mid-match";
            advice = "check that the arena is running, and start the bot again";
        } else if (results.isEmpty() || stays()) {
            words = "the connection ended before a match";
            advice = "check that the arena is running, and that the port is the one for bots";
        } else {
            return;
        }
        String told = connector.reconnects() ? words : words + "; " + advice;
        throw new ArenaException("disconnected", told, null);
    }

    /** Whether the end of a connection isn't the end between two matches either. */
    private boolean stays() {
        return keep && connector.reconnects();
    }

    private static Note note(String[] words) {
        boolean whole = words[3].equals("-");
        OptionalInt index =
                whole ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(words[3]));
        return new Note(words[1], Integer.parseInt(words[2]), index, rest(words, 4));
    }

    private static String rest(String[] words, int from) {
        return String.join(" ", Arrays.asList(words).subList(from, words.length));
    }

    private final class Turns implements Iterator<State> {
        @Override
        public boolean hasNext() {
            if (owes) {
                throw new IllegalStateException(
                        "turn " + state.turn() + " wasn't answered: every state needs one"
                                + " arena.send(moves), arena.send() to do nothing");
            }
            play();
            return asked;
        }

        @Override
        public State next() {
            if (!hasNext()) {
                throw new NoSuchElementException("no turn asks for an answer any more");
            }
            asked = false;
            owes = true;
            return state;
        }
    }

    private record Typed<S extends State>(Iterator<State> turns, Class<S> type)
            implements Iterable<S>, Iterator<S> {
        @Override
        public Iterator<S> iterator() {
            return this;
        }

        @Override
        public boolean hasNext() {
            return turns.hasNext();
        }

        @Override
        public S next() {
            State next = turns.next();
            if (!type.isInstance(next)) {
                throw new IllegalStateException(
                        "the arena plays " + Text.escaped(next.game()) + ", which has no "
                                + type.getSimpleName()
                                + ": ask for your game, Arena.builder(…).game(…)");
            }
            return type.cast(next);
        }
    }
}
