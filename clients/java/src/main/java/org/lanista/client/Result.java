package org.lanista.client;

import java.util.List;

/**
 * How a match ended (PROTOCOL.md 3).
 *
 * @param end {@code finished}, {@code forfeit}, {@code aborted} or {@code void}
 * @param ranks the place of each seat, 1 is best, equal places are ties
 * @param scores the final score of each seat, in the units of the game's rules
 */
public record Result(String end, List<Integer> ranks, List<Double> scores) {
    /**
     * Makes a result.
     *
     * @param end why the match ended
     * @param ranks by seat
     * @param scores by seat
     */
    public Result {
        ranks = List.copyOf(ranks);
        scores = List.copyOf(scores);
    }

    /** {@return the result on one line, whole scores without a point} */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("Result[end=").append(Text.escaped(end));
        text.append(", ranks=").append(ranks).append(", scores=[");
        String between = "";
        for (double score : scores) {
            text.append(between);
            if (score == (long) score) {
                text.append((long) score);
            } else {
                text.append(score);
            }
            between = ", ";
        }
        return text.append("]]").toString();
    }
}
