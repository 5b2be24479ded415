package org.lanista.client;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Runs all tests: every method of these objects that takes nothing and isn't private.
 *
 * <p>In clients/java:
 *
 * <pre>
 * javac -Xlint:all -Werror -d /tmp/lanista-java $(find src starters -name '*.java')
 * java -cp /tmp/lanista-java org.lanista.client.AllTests \
 *     ../../protocol/vectors/conversations.jsonl README.md ../../tests/arena/certificates
 * </pre>
 */
final class AllTests {
    private AllTests() {}

    /** Exit code 0: all passed; 1: some failed, or there was none. */
    public static void main(String[] args) throws ReflectiveOperationException {
        List<Object> suites =
                List.of(
                        new MoveTest(),
                        new HelloTest(),
                        new AuthorTest(),
                        new MatchTest(),
                        new ReconnectTest(),
                        new WaitingTest(),
                        new HogwartsStateTest(),
                        new CrematoriaStateTest(),
                        new ConversationsTest(Path.of(args[0])),
                        new ProgramsTest(Path.of(args[1])),
                        new TlsTest(Path.of(args[2])));
        int passed = 0;
        int failed = 0;
        for (Object suite : suites) {
            Method[] tests = suite.getClass().getDeclaredMethods();
            Arrays.sort(tests, Comparator.comparing(Method::getName));
            for (Method test : tests) {
                int modifiers = test.getModifiers();
                if (test.getParameterCount() > 0
                        || test.isSynthetic()
                        || Modifier.isPrivate(modifiers)
                        || Modifier.isStatic(modifiers)) {
                    continue;
                }
                try {
                    test.invoke(suite);
                    passed++;
                } catch (InvocationTargetException e) {
                    failed++;
                    System.out.println("FAILED " + suite.getClass().getSimpleName()
                            + "." + test.getName());
                    e.getCause().printStackTrace(System.out);
                }
            }
        }
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed == 0 && passed > 0 ? 0 : 1);
    }
}
