package org.lanista.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whole programs against a scripted arena: the starters, and the first bot of the README. */
final class ProgramsTest {
    private static final String RESULT = "Result[end=forfeit, ranks=[1, 2], scores=[2, 2]]\n";

    private final Path readme;

    ProgramsTest(Path readme) {
        this.readme = readme;
    }

    /** A program's end: its exit code and all that it printed. */
    private record Run(int exit, String printed) {}

    private static Run run(int port, String name, String... words)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(System.getProperty("java.class.path"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(key -> key.startsWith("LANISTA_"));
        builder.environment().put("LANISTA_PORT", String.valueOf(port));
        builder.environment().put("LANISTA_NAME", name);
        Process process = builder.start();
        try (InputStream output = process.getInputStream()) {
            String printed = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            return new Run(process.waitFor(), printed);
        } finally {
            process.destroyForcibly();
        }
    }

    /** What the Hogwarts starter draws. */
    private static final String BOOKS = "#@ cell 0 3 5 0 yellow\n";

    private static ScriptedArena.Script hogwarts(String turn, String answer) {
        return ScriptedArena.script()
                .hears("H v=1 game=hogwarts\n")
                .says(Said.WELCOME + Said.HOGWARTS_START + turn)
                .hears(answer)
                .says(Said.FORFEIT + "bye\n");
    }

    /** Once the ghost has rested; in this one every group is three equal ingredients. */
    void theHogwartsStarterCastsASpellWhenItMay() throws IOException, InterruptedException {
        String turn =
                Said.HOGWARTS_TURN
                        .replace("unit 1 g 1 0 0 53 5", "unit 1 g 1 0 0 0 5")
                        .replaceAll("spell .*", "spell" + " 2".repeat(15));
        String answer = BOOKS + "s 1 0 0 0 1 1 1 2 2 2 3 3 3 4 4 4 m 5 2 m 6 0\n";
        try (ScriptedArena scripted = hogwarts(turn, answer).start()) {
            Check.equal(new Run(0, RESULT), run(scripted.port(), "H", "HogwartsStarter"));
        }
    }

    /** What the Python starter answers to the same: sums of 12, the largest ingredient first. */
    void theHogwartsStarterSolvesTheSpellAsThePythonOne()
            throws IOException, InterruptedException {
        String turn =
                Said.HOGWARTS_TURN
                        .replace("unit 1 g 1 0 0 53 5", "unit 1 g 1 0 0 0 5")
                        .replaceAll("spell .*", "spell 1 9 2 4 4 4 5 5 2 3 3 6 1 5 6");
        String answer = BOOKS + "s 1 0 0 0 2 3 4 1 3 2 3 4 1 1 4 2 m 5 2 m 6 0\n";
        try (ScriptedArena scripted = hogwarts(turn, answer).start()) {
            Check.equal(new Run(0, RESULT), run(scripted.port(), "H", "HogwartsStarter"));
        }
    }

    /** What a reader copies works as it stands; the arena sees its legal first move. */
    void theFirstBotOfTheReadmePlays() throws IOException, InterruptedException {
        Matcher block =
                Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(readme));
        Check.that(block.find(), "the README has a bot");
        Path folder = Files.createTempDirectory("readme");
        Path source = folder.resolve("MyBot.java");
        try (ScriptedArena scripted =
                ScriptedArena.script()
                        .hears("MyBot v=1 game=angrymob\n")
                        .says(Said.WELCOME + Said.START + Said.TURN_0)
                        .hears("2 1 1 0\n")
                        .says(Said.FORFEIT + "bye\n")
                        .start()) {
            Files.writeString(source, block.group(1));
            Check.equal(new Run(0, RESULT), run(scripted.port(), "E", source.toString()));
        } finally {
            Files.deleteIfExists(source);
            Files.delete(folder);
        }
    }
}
