package org.lanista.client;

/** What is said to people, and which characters may be said to the arena. */
final class Text {
    private static final int SHOWN = 200; // characters of what was wrong; the rest is dots

    private Text() {}

    /** A text between quotes on one line, for an error's message. */
    static String quoted(String text) {
        boolean whole = text.length() <= SHOWN;
        return "'" + (whole ? escaped(text) : escaped(text.substring(0, SHOWN)) + "…") + "'";
    }

    /** A text that does nothing to a terminal: what can't be seen is escaped. */
    static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints()
                .forEach(
                        c -> {
                            if (c != ' ' && isBlankOrControl(c)) {
                                escaped.append(String.format("\\u{%x}", c));
                            } else {
                                escaped.appendCodePoint(c);
                            }
                        });
        return escaped.toString();
    }

    /** Whether every character of a text can be seen, or is a space. */
    static boolean isPrintable(String text) {
        for (int at = 0; at < text.length(); ) {
            int c = text.codePointAt(at);
            if (c != ' ' && isBlankOrControl(c)) {
                return false;
            }
            at += Character.charCount(c);
        }
        return true;
    }

    private static boolean isBlankOrControl(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> true;
            default -> false;
        };
    }
}
