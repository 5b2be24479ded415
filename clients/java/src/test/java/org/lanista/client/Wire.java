package org.lanista.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Stands for a connection: gives the bot bytes in pieces of our choice, so that no timing decides
 * what it reads at once, and keeps what it writes.
 */
final class Wire {
    /** What was written, call by call; the hello isn't among it. */
    final List<String> writes = new ArrayList<>();

    /** How long reads were to wait, in milliseconds, call by call. */
    final List<Integer> waits = new ArrayList<>();

    /** How often the connection was closed. */
    int closed;

    private final Deque<byte[]> pieces = new ArrayDeque<>();
    private boolean reset;
    private static final byte[] SILENCE = {};

    /** An arena that says these pieces, one a read, then closes. */
    static Wire of(String... pieces) {
        Wire wire = new Wire();
        for (String piece : pieces) {
            wire.add(Said.bytes(piece));
        }
        return wire;
    }

    /** An arena that says these bytes, one a read. */
    static Wire byteByByte(String text) {
        Wire wire = new Wire();
        for (byte b : Said.bytes(text)) {
            wire.add(new byte[] {b});
        }
        return wire;
    }

    Wire add(byte[] piece) {
        if (piece.length > 0) {
            pieces.add(piece);
        }
        return this;
    }

    /** Has the next read wait until it times out. */
    Wire silence() {
        pieces.add(SILENCE);
        return this;
    }

    /** Has the connection end by a reset. */
    Wire reset() {
        reset = true;
        return this;
    }

    /** The bot at this wire, for one match. */
    Arena arena() {
        return arena(false);
    }

    Arena arena(boolean keep) {
        Connector connector = new Connector(this::connection, new byte[0], false, null);
        return new Arena(connector, keep, null, null);
    }

    /** The connection itself. */
    Connector.Connection connection() {
        return new Connector.Connection(new Input(), new Output(), () -> closed++, waits::add);
    }

    /** All that was written. */
    String sent() {
        return String.join("", writes);
    }

    private final class Input extends InputStream {
        @Override
        public int read() {
            throw new UnsupportedOperationException("reads are of many bytes");
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            byte[] piece = pieces.poll();
            if (piece == SILENCE) {
                throw new SocketTimeoutException("Read timed out");
            }
            if (piece == null) {
                if (reset) {
                    throw new IOException("Connection reset");
                }
                return -1;
            }
            int count = Math.min(length, piece.length);
            System.arraycopy(piece, 0, into, offset, count);
            if (count < piece.length) {
                pieces.addFirst(Arrays.copyOfRange(piece, count, piece.length));
            }
            return count;
        }
    }

    private final class Output extends OutputStream {
        @Override
        public void write(int b) {
            throw new UnsupportedOperationException("writes are of whole lines");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            if (length == 0) {
                return; // a hello that is none
            }
            writes.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
        }
    }
}
