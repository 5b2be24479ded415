package org.lanista.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.lanista.client.AngryMobState.Moved;

/** Whole connections of protocol/vectors/conversations.jsonl, over real sockets. */
final class ConversationsTest {
    private final Path file;

    ConversationsTest(Path file) {
        this.file = file;
    }

    void everyConversationGoesAsTheVectorSays() throws IOException {
        List<String> lines = Files.readAllLines(file);
        Check.that(lines.size() >= 18, "there are conversations");
        for (String line : lines) {
            Map<String, Object> vector = object(Json.parse(line));
            try {
                play(vector);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("the vector '" + vector.get("name") + "'", e);
            }
        }
    }

    private static void play(Map<String, Object> vector) throws IOException {
        ScriptedArena.Script script = ScriptedArena.script();
        boolean hello = true;
        for (Object each : list(vector.get("steps"))) {
            Map<String, Object> step = object(each);
            if (step.containsKey("arena")) {
                script.says(bytes(step.get("arena")));
            } else if (step.containsKey("bot") && hello) {
                script.hearsHello(bytes(step.get("bot")));
                hello = false;
            } else if (step.containsKey("bot")) {
                script.hears(bytes(step.get("bot")));
            } else {
                script.hearsNoMore();
                hello = true; // if the bot connects again
            }
        }
        Iterator<Object> matches = list(vector.get("matches")).iterator();
        List<Object> asks = new ArrayList<>();
        Map<String, AngryMobState> states = new LinkedHashMap<>();
        Map<String, List<Note>> notes = new LinkedHashMap<>();
        List<Result> results;
        String error = null;
        try (ScriptedArena scripted = script.start();
                Arena arena = bot(object(vector.get("connect")), scripted.port())) {
            try {
                for (AngryMobState state : arena.states(AngryMobState.class)) {
                    if (states.put(state.match(), state) == null) {
                        Check.equal(List.of(), asks);
                        asks.addAll(list(object(matches.next()).get("asks")));
                    }
                    notes.put(state.match(), arena.notes());
                    Map<String, Object> ask = object(asks.remove(0));
                    checkPosition(ask, state);
                    for (Object text : list(ask.get("log"))) {
                        arena.log((String) text);
                    }
                    arena.send(moves(list(ask.get("answer"))));
                }
            } catch (ArenaException e) {
                error = e.code();
            }
            results = arena.results();
        }
        Check.equal(vector.get("error"), error);
        Check.equal(List.of(), asks);
        Check.that(!matches.hasNext(), "all matches were played");
        Iterator<Result> result = results.iterator();
        for (Object each : list(vector.get("matches"))) {
            Map<String, Object> match = object(each);
            AngryMobState state = states.get(match.get("match"));
            checkMatch(match, state, notes.get(state.match()));
            if (match.get("result") != null) {
                checkResult(object(match.get("result")), result.next());
            }
        }
        Check.that(!result.hasNext(), "no match has a result that isn't told");
    }

    private static Arena bot(Map<String, Object> connect, int port) {
        ArenaBuilder bot = new ArenaBuilder(Map.of()).host("127.0.0.1").port(port);
        for (Map.Entry<String, Object> option : connect.entrySet()) {
            Object value = option.getValue();
            switch (option.getKey()) {
                case "name" -> bot.name((String) value);
                case "game" -> bot.game((String) value);
                case "room" -> bot.room((String) value);
                case "token" -> bot.token((String) value);
                case "seat" -> bot.seat(((Long) value).intValue());
                case "keep" -> bot.keep((Boolean) value);
                case "notes" -> bot.notes((Boolean) value);
                case "reconnect" -> bot.reconnect((Boolean) value).sleep(seconds -> {});
                default -> throw new AssertionError("no such option: " + option);
            }
        }
        return bot.connect();
    }

    private static List<Move> moves(List<Object> answer) {
        List<Move> moves = new ArrayList<>();
        for (Object submove : answer) {
            List<String> tokens = new ArrayList<>();
            for (Object token : list(submove)) {
                tokens.add(token.toString());
            }
            moves.add(Move.parse(String.join(" ", tokens)));
        }
        return moves;
    }

    private static void checkMatch(
            Map<String, Object> match, AngryMobState state, List<Note> notes) {
        Check.equal(match.get("game"), state.game());
        Check.equal(match.get("seat"), (long) state.seat());
        Check.equal(match.get("players"), state.players());
        Check.equal(
                numbers(match.get("clock")), List.of(state.clock().first(), state.clock().other()));
        Check.equal(match.get("seed"), (long) state.seed());
        Map<String, Object> settings = new LinkedHashMap<>();
        for (String name : state.settings().keySet()) {
            settings.put(name, (long) state.setting(name));
        }
        Check.equal(match.get("settings"), settings);
        Check.equal(match.get("rows"), (long) state.rows());
        Check.equal(match.get("cols"), (long) state.cols());
        List<Object> bases = new ArrayList<>();
        for (Cell base : state.bases()) {
            bases.add(List.of((long) base.i(), (long) base.j()));
        }
        Check.equal(match.get("bases"), bases);
        List<Object> told = new ArrayList<>();
        for (Note note : notes) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("code", note.code());
            fields.put("turn", (long) note.turn());
            boolean whole = note.index().isEmpty();
            fields.put("index", whole ? null : (Object) (long) note.index().getAsInt());
            told.add(fields);
        }
        Check.equal(match.get("notes"), told);
        if (match.get("final") != null) {
            checkPosition(object(match.get("final")), state);
        }
    }

    private static void checkPosition(Map<String, Object> expected, AngryMobState state) {
        Check.equal(expected.get("turn"), (long) state.turn());
        Check.equal(expected.get("mine"), counted(state.mine()));
        Check.equal(expected.get("theirs"), counted(state.theirs()));
        Check.equal(expected.get("neutral"), counted(state.neutral()));
        List<Object> totals = new ArrayList<>();
        for (int total : state.totals()) {
            totals.add((long) total);
        }
        Check.equal(expected.get("totals"), totals);
        List<Object> moved = new ArrayList<>();
        for (List<Moved> ofSeat : state.moved()) {
            List<Object> submoves = new ArrayList<>();
            for (Moved m : ofSeat) {
                submoves.add(List.of((long) m.i(), (long) m.j(), (long) m.k(), (long) m.d()));
            }
            moved.add(submoves);
        }
        Check.equal(expected.get("moved"), moved);
    }

    private static void checkResult(Map<String, Object> expected, Result result) {
        Check.equal(expected.get("end"), result.end());
        List<Object> ranks = new ArrayList<>();
        for (int rank : result.ranks()) {
            ranks.add((long) rank);
        }
        Check.equal(expected.get("ranks"), ranks);
        Check.equal(numbers(expected.get("scores")), result.scores());
    }

    /** A map of cells as the vectors write it. */
    private static List<Object> counted(Map<Cell, Integer> units) {
        List<Object> counted = new ArrayList<>();
        for (Map.Entry<Cell, Integer> entry : new TreeMap<>(units).entrySet()) {
            Cell cell = entry.getKey();
            counted.add(List.of((long) cell.i(), (long) cell.j(), (long) entry.getValue()));
        }
        return counted;
    }

    private static List<Double> numbers(Object values) {
        List<Double> numbers = new ArrayList<>();
        for (Object value : list(values)) {
            numbers.add(((Number) value).doubleValue());
        }
        return numbers;
    }

    /** Bytes as the README of the vectors says they are written. */
    private static byte[] bytes(Object value) {
        if (value instanceof String text) {
            return Said.bytes(text);
        }
        if (value instanceof Map) {
            Map<String, Object> spelled = object(value);
            if (spelled.containsKey("hex")) {
                return HexFormat.of().parseHex((String) spelled.get("hex"));
            }
            int times = ((Long) spelled.get("times")).intValue();
            return Said.bytes(((String) spelled.get("text")).repeat(times));
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Object part : list(value)) {
            all.writeBytes(bytes(part));
        }
        return all.toByteArray();
    }

    @SuppressWarnings("unchecked") // Json makes no other maps
    private static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked") // Json makes no other lists
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }
}
