package org.lanista.client;

import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What the library tells whoever started the bot: that the match can't go on, or that it waits. */
final class Waiting {
    static final int SILENCE = 1000; // milliseconds of waiting for an opponent until that is told

    /** Why a bot can't connect whose stdin and stdout Lanista has connected already. */
    static final String STDIO =
            "this program connects to the arena by itself;"
                    + " start it without `stdio:` or `lanista connect`";

    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "::1");

    private final String where;
    private final String hello;
    private final PrintStream err;
    private boolean told;

    /**
     * What tells that a bot waits.
     *
     * @param where the arena's address
     * @param hello the line that the bot opened the conversation with
     * @param err where to write
     */
    Waiting(String where, String hello, PrintStream err) {
        this.where = where;
        this.hello = hello;
        this.err = err;
    }

    /** Tells once that the bot waits. Words are those of the arena's {@code wait}. */
    void tell(String[] words) {
        told = true;
        List<String> details = new ArrayList<>();
        for (String word : hello.strip().split(" ")) {
            if (word.startsWith("game=") || word.startsWith("room=")) {
                details.add(word.replaceFirst("=", " "));
            }
        }
        details.add(Text.escaped(words[1] + " of " + words[2] + " seats taken"));
        err.println(
                "lanista: waiting for an opponent at " + where
                        + " (" + String.join(", ", details) + "); the arena's page, whose address"
                        + " `lanista serve` prints, shows who is there");
    }

    /** Tells a note if it says that the bot's room isn't a ladder, or that the bot has to rest. */
    void tell(Note note) {
        String rest = note.turn() == 0 ? "benched: " : "benched for " + note.turn() + " s: ";
        switch (note.code()) {
            case "room" -> err.println("lanista: " + Text.escaped(note.words()));
            case "benched" -> err.println("lanista: " + rest + Text.escaped(note.words()));
            default -> {} // of an answer
        }
    }

    /** Whether it has been told that the bot waits. */
    boolean isTold() {
        return told;
    }

    /** Host and port as one word; an IPv6 address is put in brackets. */
    static String address(String host, int port) {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** Why there is no connection, and what to do. */
    static String noArena(String host, int port, IOException error) {
        String words = "no arena at " + address(host, port);
        String reason = reason(error);
        return reason.equals("connection refused") && LOOPBACK.contains(host)
                ? words + "; start one with `lanista serve`"
                : words + ": " + reason + "; check the host and the port";
    }

    /** Why a connection failed, in words that are the same in every client library. */
    private static String reason(IOException error) {
        String message = String.valueOf(error.getMessage());
        if (error instanceof UnknownHostException) {
            return "unknown host";
        }
        boolean failed = error instanceof ConnectException;
        if (failed && message.startsWith("Connection refused")) {
            return "connection refused";
        }
        boolean late = failed && message.startsWith("Connection timed out");
        return late || error instanceof SocketTimeoutException ? "timed out" : message;
    }

    /** Shows what nothing has caught in a thread, and ends the match that the thread was playing. */
    private record Ending(Arena arena) implements Thread.UncaughtExceptionHandler {
        @Override
        public void uncaughtException(Thread failed, Throwable uncaught) {
            if (uncaught instanceof ArenaException || uncaught instanceof OptionException) {
                System.err.println(uncaught.getMessage()); // a stack trace would tell nothing more
            } else {
                failed.getThreadGroup().uncaughtException(failed, uncaught);
            }
            if (arena != null) {
                arena.close(); // other threads may keep the process going, without an answer
            }
        }
    }

    /**
     * Has an exception that nothing catches in this thread close a connection, and the library's own
     * exceptions shown in one line. A handler of the bot's own stays.
     *
     * @param arena the connection; null: there is none yet
     */
    static void handleUncaught(Arena arena) {
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler handler = thread.getUncaughtExceptionHandler();
        boolean own = handler != thread.getThreadGroup() && !(handler instanceof Ending);
        if (!own && Thread.getDefaultUncaughtExceptionHandler() == null) {
            thread.setUncaughtExceptionHandler(new Ending(arena));
        }
    }
}
