// The tests of lanista.hpp, in one translation unit, for compiling the header is most of the time.
//
//     tests CONVERSATIONS.jsonl

#include "connection.hpp"
#include "conversations.hpp"
#include "reconnect.hpp"
#include "states.hpp"
#include "waiting.hpp"

int main(int count, char** arguments) {
    if (count != 2) {
        std::puts("usage: tests CONVERSATIONS.jsonl");
        return 2;
    }
    unset_environment();
    try {
        test_connection();
        test_states();
        test_reconnect();
        test_waiting();
        test_conversations(arguments[1]);
    } catch (const std::exception& error) {
        fail(0, error.what());
    }
    std::printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
