package org.lanista.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Lines of words from a stream of bytes (PROTOCOL.md 1).
 *
 * <p>Words are parted before they are decoded: no byte of a longer UTF-8 character is a space. What
 * isn't UTF-8 is replaced, never refused.
 */
final class LineReader {
    /** Bytes that the arena sends from one `go` to the next (PROTOCOL.md 3). */
    static final int MOST = 8 << 20;

    private static final int BUFFER = 1 << 16; // bytes; a turn of a big map comes in one read

    private final InputStream input;
    private byte[] buffer = new byte[BUFFER];
    private int next; // where the next line begins
    private int filled; // where the bytes that have been read end
    private int start; // the current line, without its newline
    private int end;
    private int left = MOST; // bytes that may still be read

    LineReader(InputStream input) {
        this.input = input;
    }

    /**
     * Goes to the next line.
     *
     * @return false at the end of the stream, or if it {@link #isExhausted}; a line that this cuts
     *     off is dropped
     */
    boolean advance() {
        int at = next;
        while (true) {
            for (; at < filled; at++) {
                if (buffer[at] == '\n') {
                    start = next;
                    end = at;
                    next = at + 1;
                    return true;
                }
            }
            at -= makeRoom();
            try {
                if (fill() < 0) {
                    return false;
                }
            } catch (IOException e) { // a reset: what came before it has been used
                return false;
            }
        }
    }

    /** Lets {@link #MOST} more bytes come. */
    void allow() {
        left = MOST;
    }

    /** Whether as many bytes have come as were allowed. */
    boolean isExhausted() {
        return left == 0;
    }

    private int fill() throws IOException {
        int room = Math.min(left, buffer.length - filled);
        int count = room == 0 ? -1 : input.read(buffer, filled, room);
        filled += Math.max(count, 0);
        left -= Math.max(count, 0);
        return count;
    }

    /** Whether reading times out before anything comes; what comes stays to be read as lines. */
    boolean isSilent() {
        if (next < filled) {
            return false;
        }
        makeRoom();
        try {
            fill(); // at the end the next read says so again
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException e) { // a reset: the next read says so
            return false;
        }
    }

    /** The words of the current line; none of a blank one. */
    String[] words() {
        String[] words = new String[count()];
        int at = start;
        for (int word = 0; word < words.length; word++) {
            while (isBlank(buffer[at])) {
                at++;
            }
            int from = at;
            while (at < end && !isBlank(buffer[at])) {
                at++;
            }
            words[word] = new String(buffer, from, at - from, StandardCharsets.UTF_8);
        }
        return words;
    }

    /** The current line as it is, for people. */
    @Override
    public String toString() {
        return new String(buffer, start, end - start, StandardCharsets.UTF_8);
    }

    /** Moves or enlarges the buffer, so that there is room to read into; by how much it moved. */
    private int makeRoom() {
        int moved = next;
        if (filled < buffer.length && moved < filled) {
            return 0;
        }
        byte[] roomier = buffer;
        if (moved == 0 && filled == buffer.length) {
            roomier = new byte[Math.multiplyExact(2, buffer.length)];
        }
        System.arraycopy(buffer, moved, roomier, 0, filled - moved);
        buffer = roomier;
        filled -= moved;
        next = 0;
        return moved;
    }

    private int count() {
        int words = 0;
        boolean blank = true;
        for (int at = start; at < end; at++) {
            boolean was = blank;
            blank = isBlank(buffer[at]);
            if (was && !blank) {
                words++;
            }
        }
        return words;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b >= '\t' && b <= '\r';
    }
}
