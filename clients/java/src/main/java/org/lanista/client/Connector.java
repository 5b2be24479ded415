package org.lanista.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Set;

/** Makes a bot's connection, or one after another with pauses between (PROTOCOL.md 8). */
final class Connector {
    private static final double SHORTEST_PAUSE = 0.5; // seconds
    private static final double LONGEST_PAUSE = 60;

    /** Codes after which the same bot would fare no better: "no" in the table of PROTOCOL.md 7. */
    static final Set<String> FINAL_CODES =
            Set.of(
                    "bad-hello",
                    "unknown-game",
                    "unknown-version",
                    "bad-token",
                    "name-taken",
                    "replaced",
                    "not-utf8",
                    "line-too-long",
                    "flood",
                    "too-many-submoves",
                    "unreadable");

    /** Streams that are connected, and what closes them. */
    record Connection(
            InputStream input, OutputStream output, Closeable closing, Patience patience) {}

    /** How long reads wait. */
    @FunctionalInterface
    interface Patience {
        /** Sets it in milliseconds; 0: for ever. */
        void set(int milliseconds) throws IOException;
    }

    /** Where connections come from. */
    @FunctionalInterface
    interface Source {
        /** Throws {@link ArenaException} ({@code unreachable}). */
        Connection connect();
    }

    /** How a pause is made. */
    @FunctionalInterface
    interface Sleep {
        void seconds(double seconds) throws InterruptedException;
    }

    private final Source source;
    private final byte[] hello;
    private final boolean reconnect;
    private final Sleep sleep;
    private double pause = SHORTEST_PAUSE; // before the next attempt, at most

    Connector(Source source, byte[] hello, boolean reconnect, Sleep sleep) {
        this.source = source;
        this.hello = hello;
        this.reconnect = reconnect;
        this.sleep = sleep;
    }

    /** Whether it connects again when that fails, or after a break. */
    boolean reconnects() {
        return reconnect;
    }

    /** A first connection, the hello said. */
    Connection first() {
        try {
            return connect();
        } catch (ArenaException e) {
            return again(e);
        }
    }

    /** Another connection after an error, which is thrown again if it is final. */
    Connection again(ArenaException error) {
        ArenaException why = error;
        while (reconnect && !FINAL_CODES.contains(why.code())) {
            double seconds = pause * (1 - Math.random() / 2);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
            System.err.printf(
                    Locale.ROOT,
                    "lanista: %s; connecting again in %.1f s%n",
                    why.getMessage(),
                    seconds);
            try {
                sleep.seconds(seconds);
                return connect();
            } catch (ArenaException e) {
                why = e;
            } catch (InterruptedException e) { // whoever interrupts the bot wants it to stop
                Thread.currentThread().interrupt();
                break;
            }
        }
        throw why;
    }

    /** The arena has let the bot in: the pauses begin anew. */
    void letIn() {
        pause = SHORTEST_PAUSE;
    }

    private Connection connect() {
        Connection connection = source.connect();
        try {
            connection.output().write(hello);
            connection.output().flush();
        } catch (IOException e) {
            // The arena has closed: what it said before that waits to be read, and says why.
        }
        return connection;
    }
}
