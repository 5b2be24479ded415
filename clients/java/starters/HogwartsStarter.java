import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.lanista.client.Arena;
import org.lanista.client.Cell;
import org.lanista.client.HogwartsState;
import org.lanista.client.HogwartsState.Unit;
import org.lanista.client.HogwartsState.Way;
import org.lanista.client.Move;

/** A first bot for Hogwarts: wizards fetch books, attack and take cells; the ghost casts spells. */
public final class HogwartsStarter {
    private HogwartsStarter() {}

    /**
     * Completes the groups (by ingredient, -1: none yet): five of three each, with equal sums.
     *
     * @return whether it could; else the groups are as they were
     */
    static boolean solve(List<Integer> ingredients, int[] groups, int group) {
        List<Integer> free = new ArrayList<>();
        int sum = 0;
        for (int k = 0; k < groups.length; k++) {
            sum += ingredients.get(k);
            if (groups[k] < 0) {
                free.add(k);
            }
        }
        if (free.isEmpty()) {
            return true;
        }
        // The largest leaves the fewest choices.
        free.sort((a, b) -> ingredients.get(b) - ingredients.get(a));
        int first = free.get(0);
        for (int x = 1; x < free.size(); x++) {
            for (int y = x + 1; y < free.size(); y++) {
                int a = free.get(x);
                int b = free.get(y);
                if (ingredients.get(first) + ingredients.get(a) + ingredients.get(b) == sum / 5) {
                    groups[first] = groups[a] = groups[b] = group;
                    if (solve(ingredients, groups, group + 1)) {
                        return true;
                    }
                    groups[first] = groups[a] = groups[b] = -1;
                }
            }
        }
        return false;
    }

    /** Tells where it is worth going: books, enemies not much stronger, cells of others. */
    private static List<Cell> goals(HogwartsState state) {
        List<Cell> goals = new ArrayList<>(state.books());
        int strength = state.magicStrength(state.me());
        for (Unit unit : state.units().values()) {
            if (unit.player() != state.me()
                    && !unit.ghost()
                    && !unit.converting()
                    && state.magicStrength(unit.player()) <= 2 * strength) {
                goals.add(unit.pos());
            }
        }
        for (int i = 0; i < state.rows(); i++) {
            for (int j = 0; j < state.cols(); j++) {
                Cell cell = new Cell(i, j);
                if (state.passable(cell)
                        && state.owner(cell) != state.me()
                        && state.unitAt(cell) == null) {
                    goals.add(cell);
                }
            }
        }
        goals.removeIf(state::reachOfVoldemort);
        return goals;
    }

    private static List<Move> orders(HogwartsState state) {
        List<Move> orders = new ArrayList<>();
        Unit ghost = state.ghost(state.me());
        if (ghost.roundsPending() == 0 && state.round() < state.numRounds() - 50) {
            int[] groups = new int[state.spellIngredients().size()];
            Arrays.fill(groups, -1);
            if (solve(state.spellIngredients(), groups, 0)) {
                orders.add(HogwartsState.spell(ghost.id(), groups));
            }
        }
        Map<Cell, Integer> steps = state.distances(goals(state));
        for (Unit wizard : state.wizards(state.me())) {
            Way best = null;
            int fewest = Integer.MAX_VALUE;
            for (Way way : state.neighbours(wizard.pos())) {
                int count = steps.getOrDefault(way.cell(), 9999);
                if (!state.reachOfVoldemort(way.cell()) && count < fewest) {
                    best = way;
                    fewest = count;
                }
            }
            if (best != null) {
                orders.add(HogwartsState.move(wizard.id(), best.direction()));
            }
        }
        return orders;
    }

    /** Plays a match. */
    public static void main(String[] args) {
        String name = System.getenv().getOrDefault("LANISTA_NAME", "Starter");
        try (Arena arena = Arena.builder(name).game("hogwarts").connect()) {
            for (HogwartsState state : arena.states(HogwartsState.class)) {
                arena.draw().cells(state.books(), "yellow"); // on the page's board
                arena.send(orders(state));
            }
            System.out.println(arena.result());
        }
    }
}
