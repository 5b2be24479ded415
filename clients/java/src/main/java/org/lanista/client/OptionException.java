package org.lanista.client;

/**
 * A name, an option or a variable of the environment can't be used; the message says what would be
 * right. If nothing catches it, the bot ends with that one line.
 */
final class OptionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    OptionException(String words) {
        super(words);
    }

    OptionException(String words, Throwable cause) {
        super(words, cause);
    }
}
