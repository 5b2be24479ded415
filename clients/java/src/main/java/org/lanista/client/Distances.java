package org.lanista.client;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/** The search for distances over the ways of a board, which each game's state tells. */
final class Distances {
    private Distances() {}

    /**
     * {@return of each place, how many steps it is from the nearest goal, nearest first}
     *
     * @param goals where to measure from
     * @param inside whether a place lies on the board; goals that don't count for nothing
     * @param ways the ways out of a place
     * @param end the place that a way leads to
     * @param open whether ways may lead to a place
     * @param within steps to look at, at most
     */
    static <P, W> Map<P, Integer> from(
            Collection<P> goals,
            Predicate<P> inside,
            Function<P, List<W>> ways,
            Function<W, P> end,
            Predicate<P> open,
            int within) {
        Map<P, Integer> steps = new LinkedHashMap<>();
        for (P goal : goals) {
            if (inside.test(goal)) {
                steps.put(goal, 0);
            }
        }
        List<P> queue = new ArrayList<>(steps.keySet());
        for (int at = 0; at < queue.size(); at++) { // it grows meanwhile
            int step = steps.get(queue.get(at));
            if (step >= within) {
                break;
            }
            for (W way : ways.apply(queue.get(at))) {
                P other = end.apply(way);
                if (!steps.containsKey(other) && open.test(other)) {
                    steps.put(other, step + 1);
                    queue.add(other);
                }
            }
        }
        return steps;
    }
}
