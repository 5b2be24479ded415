package org.lanista.client;

import java.util.OptionalInt;

/**
 * Something of ours that the arena refused, the match going on (PROTOCOL.md 7).
 *
 * @param code {@code late}, {@code malformed} or {@code illegal}; or {@code benched}, after a match:
 *     the bot rests; or {@code room}, before one: the room isn't a ladder
 * @param turn the turn that was answered so; of {@code benched} the seconds of rest, 0: until the
 *     operator ends it
 * @param index the submove's place in that answer, from 0; empty: the answer as a whole
 * @param words the explanation, for people
 */
public record Note(String code, int turn, OptionalInt index, String words) {}
