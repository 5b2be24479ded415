// Answers every turn with nothing: what it takes is the client library's own time.
//
//     empty GAME

#include "lanista.hpp"

int main(int, char** argv) {
    lanista::Arena arena({"Empty", argv[1]});
    while (arena.next()) arena.send({});
}
