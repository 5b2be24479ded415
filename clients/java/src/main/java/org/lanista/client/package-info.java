/**
 * Bots for the Lanista arena: connect, be given the position turn by turn, answer with submoves.
 *
 * <p>{@link org.lanista.client.Arena} is the connection; it speaks version 1 of the wire protocol
 * over a blocking socket. {@link org.lanista.client.AngryMobState}, {@link
 * org.lanista.client.HogwartsState} and {@link org.lanista.client.CrematoriaState} are the
 * positions of the games it knows; any other game is played by the facts of a plain {@link
 * org.lanista.client.State}. No strategy lives here, no thread, no clock, and nothing beyond the
 * standard library.
 *
 * <p>A bot is started anew for each match and has 0.2 s a turn, so the code that every turn passes
 * through has no lambda, no stream and no generated record method: what such things set up at their
 * first use is time on the bot's clock.
 */
package org.lanista.client;
