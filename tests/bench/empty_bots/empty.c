/* The floor of tests/bench/clients.py: a bare socket. It looks for the line `go` and answers with
 * nothing; it reads no fact.
 *
 *     empty GAME [NAME]   speaks TCP
 *     empty -             speaks by stdin and stdout, behind `lanista connect`
 *
 * If THINK_MS is set, it waits so many milliseconds before each answer.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char buffer[1 << 20];

int main(int count, char **words) {
    int in = 0, out = 1;
    const char *think_ms = getenv("THINK_MS");
    useconds_t think = think_ms ? (useconds_t)(1000 * atof(think_ms)) : 0;
    if (count != 2 && count != 3) return 2;
    if (strcmp(words[1], "-") != 0) {
        struct sockaddr_in arena = {0};
        int one = 1;
        char hello[256];
        arena.sin_family = AF_INET;
        arena.sin_port = htons((unsigned short)atoi(getenv("LANISTA_PORT")));
        arena.sin_addr.s_addr = inet_addr("127.0.0.1");
        in = out = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(in, (struct sockaddr *)&arena, sizeof arena) != 0) return 1;
        setsockopt(in, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        const char *keep = getenv("LANISTA_KEEP") ? " keep=1" : "";
        const char *name = count == 3 ? words[2] : "Empty";
        int size = snprintf(hello, sizeof hello, "%s v=1 game=%s%s\n", name, words[1], keep);
        if (write(out, hello, (size_t)size) != size) return 1;
    }
    size_t held = 0;
    for (;;) {
        ssize_t got = read(in, buffer + held, sizeof buffer - held);
        if (got <= 0) return 0;
        held += (size_t)got;
        /* A turn ends with its `go`, and nothing comes behind it before the answer. */
        if (held >= 4 && memcmp(buffer + held - 4, "\ngo\n", 4) == 0) {
            if (think) usleep(think);
            if (write(out, "\n", 1) != 1) return 1;
            held = 0;
        } else if (held == sizeof buffer) {
            return 1;
        }
    }
}
