import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.lanista.client.Arena;
import org.lanista.client.CrematoriaState;
import org.lanista.client.CrematoriaState.Direction;
import org.lanista.client.CrematoriaState.Unit;
import org.lanista.client.CrematoriaState.UnitType;
import org.lanista.client.CrematoriaState.Way;
import org.lanista.client.Move;
import org.lanista.client.Pos;

/** A first bot for Crematoria: pioneers conquer caves and fetch gems, furyans strike. */
public final class CrematoriaStarter {
    private CrematoriaStarter() {}

    /** Tells whether nothing kills a unit that goes there: no hellhound near, no sun. */
    private static boolean safe(CrematoriaState state, Pos pos) {
        if (pos.k() == 1) {
            return state.roundsOfNight(pos) > 0;
        }
        for (Unit hound : state.hellhounds()) {
            if (hound.k() == 0 && state.distance(pos, hound.pos()) <= 2) {
                return false;
            }
        }
        return true;
    }

    private static boolean enemy(CrematoriaState state, Unit unit) {
        return unit.player() != state.me() && unit.player() != -1;
    }

    /** Gives the direction of an enemy beside a furyan; null: there is none. */
    private static Direction strike(CrematoriaState state, Unit furyan) {
        for (Way way : state.neighbours(furyan.pos())) {
            Unit other = state.unitAt(way.pos());
            if (other != null && enemy(state, other)) {
                return way.direction();
            }
        }
        return null;
    }

    private static List<Move> orders(CrematoriaState state) {
        List<Pos> goals = new ArrayList<>();
        for (int i = 0; i < state.rows(); i++) {
            for (int j = 0; j < state.cols(); j++) {
                if (state.cave(i, j) && state.owner(i, j) != state.me()) {
                    goals.add(new Pos(i, j, 0));
                }
            }
        }
        for (Pos gem : state.gems()) {
            if (state.roundsOfNight(gem) > 12) { // the night lasts for the way there and back
                goals.add(gem);
            }
        }
        List<Pos> enemies = new ArrayList<>();
        for (Unit unit : state.units().values()) {
            if (enemy(state, unit) && unit.k() == 0) {
                enemies.add(unit.pos());
            }
        }
        Map<Pos, Integer> pioneers = state.distances(goals);
        Map<Pos, Integer> furyans =
                state.distances(enemies, Set.of(), Integer.MAX_VALUE, Set.of(0));

        List<Move> orders = new ArrayList<>();
        Set<Pos> taken = new HashSet<>();
        List<Unit> units = state.furyans(state.me());
        units.addAll(state.pioneers(state.me()));
        for (Unit unit : units) {
            boolean pioneer = unit.type() == UnitType.PIONEER;
            Direction direction = pioneer ? null : strike(state, unit);
            if (direction == null) {
                Way best = null;
                int fewest = Integer.MAX_VALUE;
                for (Way way : state.neighbours(unit.pos())) {
                    Pos pos = way.pos();
                    int steps = (pioneer ? pioneers : furyans).getOrDefault(pos, 9999);
                    if (steps < fewest
                            && safe(state, pos)
                            && !taken.contains(pos)
                            && state.unitAt(pos) == null) {
                        best = way;
                        fewest = steps;
                    }
                }
                if (best != null) {
                    direction = best.direction();
                    taken.add(best.pos());
                }
            }
            if (direction != null) {
                orders.add(CrematoriaState.move(unit.id(), direction));
            }
        }
        return orders;
    }

    /** Plays a match. */
    public static void main(String[] args) {
        String name = System.getenv().getOrDefault("LANISTA_NAME", "Starter");
        try (Arena arena = Arena.builder(name).game("crematoria").connect()) {
            for (CrematoriaState state : arena.states(CrematoriaState.class)) {
                arena.draw().cells(state.gems(), "yellow"); // on the page's board
                arena.send(orders(state));
            }
            System.out.println(arena.result());
        }
    }
}
