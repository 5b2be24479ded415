package org.lanista.client;

import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What the library tells whoever started the bot: that there is no arena, or that it waits. */
final class Waiting {
    static final int SILENCE = 1000; // milliseconds of waiting for an opponent until that is told

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
        details.add(words[1] + " of " + words[2] + " seats taken");
        err.println(
                "lanista: waiting for an opponent at " + where
                        + " (" + String.join(", ", details) + "); the arena's page, whose address"
                        + " `lanista serve` prints, shows who is there");
    }

    /** Tells what the arena says of the bot's room, which isn't a ladder. */
    void tellRoom(String words) {
        err.println("lanista: " + words);
    }

    /** Whether it has been told that the bot waits. */
    boolean isTold() {
        return told;
    }

    /** Host and port as one word; an IPv6 address is put in brackets. */
    static String address(String host, int port) {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** Why there is no connection and, where that can help, what to do. */
    static String noArena(String host, int port, IOException error) {
        String words = "no arena at " + address(host, port);
        boolean refused =
                error instanceof ConnectException
                        && String.valueOf(error.getMessage()).startsWith("Connection refused");
        return refused && LOOPBACK.contains(host)
                ? words + "; start one with `lanista serve`"
                : words + ": " + error.getMessage();
    }

    /**
     * Has this error shown by its words alone if nothing catches it in this thread: a stack trace
     * would tell somebody who forgot to start an arena nothing. A handler of the bot's own stays.
     */
    static void showInOneLine(ArenaException error) {
        Thread thread = Thread.currentThread();
        boolean own =
                Thread.getDefaultUncaughtExceptionHandler() != null
                        || thread.getUncaughtExceptionHandler() != thread.getThreadGroup();
        if (own) {
            return;
        }
        thread.setUncaughtExceptionHandler(
                (failed, uncaught) -> {
                    if (uncaught == error) {
                        System.err.println(error.words());
                    } else {
                        failed.getThreadGroup().uncaughtException(failed, uncaught);
                    }
                });
    }
}
