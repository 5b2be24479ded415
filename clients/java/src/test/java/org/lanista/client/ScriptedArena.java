package org.lanista.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import javax.net.ServerSocketFactory;

/**
 * An arena that follows a script, byte for byte, over a real connection to a port of this machine.
 *
 * <p>It serves connections from a thread, one after another, and closes each. A deviation from the
 * script is thrown by {@link #close}.
 */
final class ScriptedArena implements AutoCloseable {
    private static final int PATIENCE = 20_000; // milliseconds; nothing is expected to need them

    private final ServerSocket listener;
    private final Thread thread;
    private final List<Step> script;
    private Throwable trouble;

    /** The arena says or hears something. */
    private record Step(Kind kind, byte[] bytes) {}

    private enum Kind {
        SAYS,
        HEARS,
        HEARS_HELLO,
        HEARS_NO_MORE
    }

    private ScriptedArena(List<Step> script, ServerSocketFactory sockets) throws IOException {
        this.script = script;
        listener = sockets.createServerSocket(0, 1, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(PATIENCE);
        thread = new Thread(this::serve);
        thread.start();
    }

    static Script script() {
        return new Script();
    }

    /** What happens, in order. */
    static final class Script {
        private final List<Step> steps = new ArrayList<>();

        Script says(byte[] bytes) {
            steps.add(new Step(Kind.SAYS, bytes));
            return this;
        }

        Script says(String text) {
            return says(Said.bytes(text));
        }

        Script hears(byte[] bytes) {
            steps.add(new Step(Kind.HEARS, bytes));
            return this;
        }

        Script hears(String text) {
            return hears(Said.bytes(text));
        }

        /** A hello, the order of whose options is the bot's own affair. */
        Script hearsHello(byte[] line) {
            steps.add(new Step(Kind.HEARS_HELLO, line));
            return this;
        }

        /**
         * The arena closes its end, and then the bot closes without another byte. What follows is
         * for its next connection.
         */
        Script hearsNoMore() {
            steps.add(new Step(Kind.HEARS_NO_MORE, new byte[0]));
            return this;
        }

        ScriptedArena start() throws IOException {
            return start(ServerSocketFactory.getDefault());
        }

        /** Has it listen by other sockets than those of TCP: by those of TLS. */
        ScriptedArena start(ServerSocketFactory sockets) throws IOException {
            return new ScriptedArena(steps, sockets);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Waits until the script is over and the connection closed. */
    void join() throws InterruptedException {
        thread.join();
    }

    @Override
    public void close() throws IOException {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted while the script ran", e);
        } finally {
            listener.close();
        }
        if (trouble != null) {
            throw new AssertionError("the bot left the script", trouble);
        }
    }

    private void serve() {
        Iterator<Step> steps = script.iterator();
        try {
            do {
                serve(steps);
            } while (steps.hasNext());
        } catch (IOException | AssertionError e) {
            trouble = e;
        }
    }

    /** Serves one connection. */
    private void serve(Iterator<Step> steps) throws IOException {
        try (Socket bot = listener.accept()) {
            bot.setSoTimeout(PATIENCE);
            while (steps.hasNext()) {
                Step step = steps.next();
                carryOut(step, bot);
                if (step.kind == Kind.HEARS_NO_MORE) {
                    break;
                }
            }
            // Over TLS, to close is to wait for the bot's own farewell, which comes when it has read.
            bot.setSoTimeout(1);
        }
    }

    private static void carryOut(Step step, Socket bot) throws IOException {
        switch (step.kind) {
            case SAYS -> bot.getOutputStream().write(step.bytes);
            case HEARS_NO_MORE -> {
                bot.shutdownOutput();
                Check.equal("", text(bot.getInputStream().readAllBytes()));
            }
            default -> {
                String expected = text(step.bytes);
                String heard = text(bot.getInputStream().readNBytes(step.bytes.length));
                if (step.kind == Kind.HEARS) {
                    Check.equal(expected, heard);
                } else {
                    Check.equal(options(expected), options(heard));
                }
            }
        }
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** A hello's line in parts: the name, then its options in the order of the alphabet. */
    private static List<String> options(String line) {
        int first = line.indexOf(" v=1");
        String[] options = line.substring(Math.max(first, 0)).stripTrailing().split(" ");
        Arrays.sort(options);
        List<String> parts = new ArrayList<>(List.of(line.substring(0, Math.max(first, 0))));
        parts.addAll(List.of(options));
        parts.add(line.endsWith("\n") ? "newline" : "no newline");
        return parts;
    }
}
