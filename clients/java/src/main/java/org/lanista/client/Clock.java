package org.lanista.client;

/**
 * The time that a seat has for its answers.
 *
 * @param first seconds for the first answer; 0: no limit
 * @param other seconds for every other; 0: no limit
 */
public record Clock(double first, double other) {}
