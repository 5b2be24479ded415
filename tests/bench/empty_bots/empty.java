import org.lanista.client.Arena;
import org.lanista.client.State;

/**
 * Answers every turn with nothing: what it takes is the client library's own time.
 *
 * <pre>java -cp CLASSES Empty GAME</pre>
 */
final class Empty {
    private Empty() {}

    public static void main(String[] args) {
        try (Arena arena = Arena.builder("Empty").game(args[0]).connect()) {
            for (State state : arena) {
                arena.send();
            }
        }
    }
}
