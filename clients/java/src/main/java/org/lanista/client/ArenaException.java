package org.lanista.client;

/**
 * The match can't go on: the arena said {@code error}, or the connection is lost.
 *
 * <p>If nothing catches it, the bot ends with one line, which is the code and the words.
 *
 * <p>It is unchecked because it is thrown in the midst of a {@code for} over the states.
 */
public final class ArenaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The code of it. */
    private final String code;

    /** The explanation. */
    private final String words;

    ArenaException(String code, String words, Throwable cause) {
        super(Text.escaped(words.isEmpty() ? code : code + ": " + words), cause);
        this.code = code;
        this.words = words;
    }

    /**
     * {@return a code of PROTOCOL.md 7 ({@code bad-hello}, {@code name-taken}, {@code late}, {@code
     * shutdown} …) or one of the client's own: {@code unreachable} (no connection could be made),
     * {@code disconnected} (it ended in mid-match), {@code unreadable} (the arena sent something
     * outside the protocol)}
     */
    public String code() {
        return code;
    }

    /** {@return the explanation, for people; it may be empty} */
    public String words() {
        return words;
    }
}
