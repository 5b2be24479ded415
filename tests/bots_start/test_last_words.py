"""Why a bot crashed, read from what the runtimes of its language print."""

import time

import pytest

from lanista.bots.last_words import last_words

PYTHON = """turn 7
Traceback (most recent call last):
  File "/home/ann/raises.py", line 9, in <module>
    play()
  File "/home/ann/raises.py", line 4, in play
    ways.get((99, 99)).pop()
KeyError: (99, 99)
"""
IN_A_LIBRARY = """Traceback (most recent call last):
  File "/home/ann/bot.py", line 3, in <module>
    arena.send(json.loads("{"))
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
json.decoder.JSONDecodeError: Expecting property name
"""
SYNTAX = """  File "/home/ann/bot.py", line 3
    def play(:
             ^
SyntaxError: invalid syntax
"""
CHAINED = """Traceback (most recent call last):
  File "bot.py", line 2, in <module>
    {}[1]
KeyError: 1

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "bot.py", line 4, in <module>
    raise ValueError("two\\nlines")
ValueError: two
lines
"""
HANDLED = (
    """Traceback (most recent call last):
  File "bot.py", line 2, in <module>
    {}[1]
KeyError: 1
"""
    + "going on\n" * 9
)
GROUP = """  + Exception Group Traceback (most recent call last):
  |   File "/home/ann/bot.py", line 9, in main
  |     async with asyncio.TaskGroup() as tasks:
  |   File "/usr/lib/python3.11/asyncio/taskgroups.py", line 145, in __aexit__
  |     raise me from None
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/home/ann/bot.py", line 4, in play
    |     ways[99]
    | KeyError: 99
    +------------------------------------
"""
NODE = """file:///home/ann/bad.mjs:1
function f(){ const a=undefined; return a.x; }
                                          ^

TypeError: Cannot read properties of undefined (reading 'x')
    at ArenaState.get (file:///home/ann/lanista-client/src/state.js:7:2)
    at f (file:///home/ann/bad.mjs:1:43)
    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)

Node.js v20.20.2
"""
NODE_PROPERTIES = """node:fs:573
  return binding.open(
                 ^

Error: ENOENT: no such file or directory, open 'table.json'
    at Object.openSync (node:fs:573:18)
    at file:///home/ann/my bots/bad.mjs:2:4 {
  errno: -2,
  code: 'ENOENT',
  syscall: 'open',
  path: 'table.json',
  [cause]: TypeError: inner
      at file:///home/ann/my bots/bad.mjs:1:9
}

Node.js v20.20.2
"""
NODE_TEXT = """/home/ann/bad.cjs:4
  throw "no way"
  ^
no way
(Use `node --trace-uncaught ...` to show where the exception was thrown)

Node.js v20.20.2
"""
NODE_REJECTED = """node:internal/process/promises:389
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function \
without a catch block, or by rejecting a promise which was not handled with .catch(). \
The promise rejected with the reason "no way".
    at throwUnhandledRejectionsMode (node:internal/process/promises:389:7) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v20.20.2
"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: outer
\tat Bad.main(Bad.java:3)
Caused by: java.lang.NumberFormatException: For input string: "x"
\tat java.base/java.lang.Integer.parseInt(Integer.java:668)
\tat Bad.f(Bad.java:2)
\t... 1 more
"""
GO = """panic: strings: negative Repeat count

goroutine 1 [running]:
strings.Repeat({0x46bafc?, 0x462480?}, 0xc0000061a0?)
\t/usr/lib/go-1.19/src/strings/strings.go:538 +0x4d8
lanista.(*Arena[...]).Send(0xc000104000)
\t/home/ann/lanista-client/arena.go:196 +0x4b4
main.f(...)
\t/home/ann/main.go:5
main.main()
\t/home/ann/main.go:8 +0x2c
"""
RUST = """thread 'main' (22491) panicked at src/main.rs:2:18:
index out of bounds: the len is 0 but the index is 0
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
OLD_RUST = (
    "thread 'main' panicked at 'no way', src/main.rs:2:18\nnote: run with `RUST_BACKTRACE=1`\n"
)
CPP = """terminate called after throwing an instance of 'std::out_of_range'
  what():  vector::_M_range_check: __n (which is 3) >= this->size() (which is 0)
"""
NODE_HEAP = """
FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
10: 0x195e476  [node]
"""
SANITIZED = """SUMMARY: AddressSanitizer: heap-buffer-overflow /home/ann/bot.cpp:6 in main
Shadow bytes around the buggy address:
==24134==ABORTING
"""
LUA = """lua: /home/ann/bot.lua:1: attempt to index a nil value (field 'y')
stack traceback:
	/home/ann/bot.lua:1: in local 'f'
	/home/ann/bot.lua:2: in main chunk
	[C]: in ?
"""
RUBY = """bot.rb:1:in `f': undefined method `foo' for nil:NilClass (NoMethodError)

def f(x) x.foo end
          ^^^^
	from bot.rb:2:in `<main>'
"""
NEW_RUBY = """/home/ann/bot.rb:7:in 'Object#f': no way (RuntimeError)
at all
	from /home/ann/bot.rb:9:in '<main>'
"""
PHP = """PHP Fatal error:  Uncaught Error: Call to a member function foo() on null in /b/bot.php:1
Stack trace:
#0 /b/bot.php(3): f()
#1 {main}
  thrown in /b/bot.php on line 1
"""


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (PYTHON, "raises.py:4: KeyError: (99, 99)"),
        (IN_A_LIBRARY, "bot.py:3: json.decoder.JSONDecodeError: Expecting property name"),
        (SYNTAX, "bot.py:3: SyntaxError: invalid syntax"),
        (CHAINED, "bot.py:4: ValueError: two"),
        (GROUP, "bot.py:4: KeyError: 99"),
        (HANDLED, "going on"),
        (NODE, "bad.mjs:1: TypeError: Cannot read properties of undefined (reading 'x')"),
        (NODE_PROPERTIES, "bad.mjs:2: Error: ENOENT: no such file or directory, open 'table.json'"),
        (NODE_TEXT, "bad.cjs:4: no way"),
        (NODE_REJECTED, '"no way".'),
        (NODE_HEAP, "Reached heap limit Allocation failed - JavaScript heap out of memory"),
        (JAVA, 'Bad.java:2: java.lang.NumberFormatException: For input string: "x"'),
        ('Exception in thread "main" P$Oops: x\n\tat P.main(P.java:4)', "P.java:4: P$Oops: x"),
        (GO, "main.go:5: strings: negative Repeat count"),
        (RUST, "main.rs:2: index out of bounds: the len is 0 but the index is 0"),
        (OLD_RUST, "main.rs:2: no way"),
        (LUA, "bot.lua:1: attempt to index a nil value (field 'y')"),
        (LUA + "going on\n", "going on"),
        (RUBY, "bot.rb:1: undefined method `foo' for nil:NilClass (NoMethodError)"),
        (NEW_RUBY, "bot.rb:7: no way (RuntimeError)"),
        ("bot.rb:3:in `<main>': unhandled exception", "bot.rb:3: unhandled exception"),
        (RUBY + "going on\n", "going on"),
        (PHP, "bot.php:1: Error: Call to a member function foo() on null"),
        (SANITIZED, "AddressSanitizer: heap-buffer-overflow /home/ann/bot.cpp:6 in main"),
        (CPP, "std::out_of_range: vector::_M_range_check: __n (which is 3) >= this->size() (wh"),
        (
            "env: 'py\\r': none\n/usr/bin/env: use -[v]S to pass options in shebang lines\n",
            r"env: 'py\r': none",
        ),
        ("unreachable: x\nexit status 1\n", "unreachable: x"),
        (
            "Error: x\nerror: process didn't exit successfully: `target/bot` (exit status: 1)",
            "Error: x",
        ),
        ("bot.sh: line 3: `  done\r'\r\n", r"bot.sh: line 3: `  done\r'"),
        ("a\nno brain found \n\n", "no brain found"),
        ("no \x1b", r"no \x1b"),
        ("", ""),
    ],
    ids=lambda value: None if "\n" in value else value[:20],
)
def test_an_exception_is_told_with_the_line_of_the_authors_own_code(output, words):
    """Anything else by the last line; of the longest, the beginning."""
    assert words == last_words(output)[: len(words)]
    assert len(words) <= len(last_words(output)) <= 200
    assert len(words) > 70 or words == last_words(output)


@pytest.mark.parametrize(
    "line",
    [
        "    at " + "a" * 60_000,
        "    at " + "a." * 30_000,
        "    at " + "(a.b:1" * 10_000,
        "thread '" + "' panicked at 'a', " * 1500 + "b" * 30_000,
        "thread '" + "' panicked at " * 4000,
        'Exception in thread "' + '" ' * 30_000,
        '  File "' + '", line ' * 7500,
        "\t" + ".go" * 20_000,
        "    at " * 9000,
        "stack traceback:\n\t" + "a: a:1" * 10_000,
        "a:1:in `" * 8000,
        "Uncaught " * 3000 + " in " * 9000 + "\n  thrown in " + " on line 1" * 6000,
    ],
    ids=lambda line: line[:40],
)
def test_a_bot_cannot_hold_the_arena_by_what_it_prints(line):
    """It takes milliseconds; patterns that read a line again and again took many seconds."""
    began = time.process_time()
    last_words(f"Error: x\n{line}\n")
    last_words(f"panic: x\ngoroutine 1\n{line}\n")
    assert time.process_time() - began < 3


def test_only_the_last_lines_are_looked_at():
    """Looking at 65,000 of them would hold the arena."""
    overflow = (
        'Exception in thread "main" StackOverflowError\n' + "\tat Bot.go(Bot.java:7)\n" * 1024
    )
    assert "Bot.java:7: StackOverflowError" == last_words(overflow)
    panic = "panic: x\ngoroutine 1 [running]:\n\t/bot/bot.go:7\n"
    assert "bot.go:7: x" == last_words(panic + "y\n" * 2000)
    assert "y" == last_words(panic + "y\n" * 3000)


def test_long_words_are_cut():
    assert "x" * 200 == last_words("x" * 1000)
