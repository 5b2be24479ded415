import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.lanista.client.AngryMobState;
import org.lanista.client.AngryMobState.Way;
import org.lanista.client.Arena;
import org.lanista.client.Cell;
import org.lanista.client.Move;

/** A first bot for Angry Mob: units fetch the nearest neutral ones, then storm the enemy base. */
public final class AngryMobStarter {
    private AngryMobStarter() {}

    private static List<Move> moves(AngryMobState state) {
        List<Cell> goals = new ArrayList<>(List.of(state.enemyBase()));
        if (state.totals().get(state.seat()) <= 8) {
            goals.addAll(state.neutral().keySet()); // we recruit
        }
        Map<Cell, Integer> steps = state.distances(goals);
        List<Move> moves = new ArrayList<>();
        for (Map.Entry<Cell, Integer> units : state.mine().entrySet()) {
            Way best = null;
            for (Way way : state.neighbours(units.getKey())) {
                if (best == null || steps.get(way.cell()) < steps.get(best.cell())) {
                    best = way;
                }
            }
            moves.add(AngryMobState.move(units.getKey(), units.getValue(), best.direction()));
        }
        return moves;
    }

    /** Plays a match. */
    public static void main(String[] args) {
        String name = System.getenv().getOrDefault("LANISTA_NAME", "Starter");
        try (Arena arena = Arena.builder(name).game("angrymob").connect()) {
            for (AngryMobState state : arena.states(AngryMobState.class)) {
                arena.draw().value("cells", state.mine().size()); // a curve, on the page
                arena.send(moves(state));
            }
            System.out.println(arena.result());
        }
    }
}
