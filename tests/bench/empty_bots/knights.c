/* A trivial chess engine for tests/bench/tournament.py: both sides move a knight out and back, so
 * that a game ends after eight plies, by the third repetition. It looks at no position.
 *
 * If THINK_MS is set, it waits so many milliseconds before each move.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    static const char *const moves[] = {"g1f3", "g8f6", "f3g1", "f6g8"};
    static char line[1 << 16];
    const char *think_ms = getenv("THINK_MS");
    useconds_t think = think_ms ? (useconds_t)(1000 * atof(think_ms)) : 0;
    size_t ply = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "uci\n", 4) == 0) {
            puts("id name knights\nuciok");
        } else if (strncmp(line, "isready", 7) == 0) {
            puts("readyok");
        } else if (strncmp(line, "position", 8) == 0) {
            const char *played = strstr(line, " moves ");
            ply = 0;
            /* Each move follows a blank; the first one is that behind `moves`. */
            for (; played && (played = strchr(played + 1, ' ')); played++) ply++;
        } else if (strncmp(line, "go", 2) == 0) {
            if (think) usleep(think);
            printf("info depth 1 score cp 0\nbestmove %s\n", moves[ply % 4]);
        } else if (strncmp(line, "quit", 4) == 0) {
            return 0;
        }
    }
    return 0;
}
