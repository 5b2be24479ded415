package org.lanista.client;

import java.util.Objects;

/** The little that tests need to say what they expect; each throws where it isn't so. */
final class Check {
    private Check() {}

    /** What throws, or should. */
    interface Action {
        void run() throws Exception;
    }

    static void equal(Object expected, Object actual) {
        if (!Objects.equals(expected, actual)) {
            throw new AssertionError("expected " + expected + "\n     but was " + actual);
        }
    }

    static void that(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("not so: " + what);
        }
    }

    /** The exception that an action ends in; it must be of that very class. */
    static <E extends Throwable> E thrown(Class<E> type, Action action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            if (thrown.getClass() == type) {
                return type.cast(thrown);
            }
            throw new AssertionError("expected " + type.getSimpleName() + ", not this", thrown);
        }
        throw new AssertionError("expected " + type.getSimpleName() + ", but nothing was thrown");
    }
}
