"""An arena and bots in a network of their own, in which the ways to the bots take some time.

Run as `unshare -rn python far.py FOLDER BOT…`, it runs the arena of FOLDER/arena.toml until a match
is recorded that isn't void, and prints its record's path. Each bot is DELAY,JITTER,LOSS,THINKS: the
seconds of the round trip, by how much it varies, the share of the packets that get lost, and how
long the bot thinks about each of its answers but the first.

The network needs no module of the kernel: a pair of devices, of which the arena and the bots use
one. Whatever they send to the addresses of the bots comes out of the other, where `reflect` sends
it back some time later with its two addresses exchanged. So both ends of a connection are on this
machine, but their packets take the time that they are told to. (The sum of a packet doesn't change
if its addresses are exchanged.)
"""

import array
import fcntl
import gzip
import heapq
import itertools
import json
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

ARENA = "10.99.0.1"
"""The arena's address; the bots appear to be at the following ones."""
PATIENCE = 60.0
LINKS = """
link set lo up
link add near address 02:00:00:00:00:01 type veth peer name far address 02:00:00:00:00:02
address add 10.99.0.1/24 dev near
link set near up
link set far up
"""
SIOCETHTOOL = 0x8946
SWITCHED_OFF = {"sums of TCP": 0x17, "segments": 0x1F, "larger segments": 0x24}
"""What the device would do for the kernel, but a packet that is sent back by hand must be whole."""
IP = 0x0800


def address(number):
    return f"10.99.0.{number + 2}"


def set_up(bots):
    lines = LINKS.strip().splitlines()
    lines += [
        f"neighbor add {address(bot)} lladdr 02:00:00:00:00:02 dev near" for bot in range(bots)
    ]
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines), text=True, check=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for command in SWITCHED_OFF.values():
            value = array.array("B", struct.pack("II", command, 0))
            request = struct.pack("16sP8x", b"near", value.buffer_info()[0])
            fcntl.ioctl(any_socket, SIOCETHTOOL, request)


def reflect(ways):
    """Send every packet back after half of its round trip, unless it gets lost."""
    device = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(IP))
    device.bind(("far", IP))
    chance, numbers = random.Random(1), itertools.count()
    held = []
    while True:
        wait = max(0.0, held[0][0] - time.monotonic()) if held else None
        if select.select([device], [], [], wait)[0]:
            frame, (_, _, kind, *_) = device.recvfrom(65536)
            if kind != socket.PACKET_OUTGOING:
                ethernet, packet = frame[:14], frame[14:]
                delay, jitter, loss = ways[max(packet[15], packet[19]) - 2]
                ethernet = ethernet[6:12] + ethernet[:6] + ethernet[12:]
                packet = packet[:12] + packet[16:20] + packet[12:16] + packet[20:]
                if chance.random() >= loss:
                    due = time.monotonic() + delay / 2 + chance.uniform(0, jitter)
                    heapq.heappush(held, (due, next(numbers), ethernet + packet))
        while held and held[0][0] <= time.monotonic():
            device.send(heapq.heappop(held)[2])


def play(number, port, thinks):
    """A bot that stays for match after match and answers with an empty line."""
    hello = f"bot{number} v=1 room=far token=secret{number} keep=1\n"
    with socket.create_connection((address(number), port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(hello.encode())
        turn = b""
        for line in connection.makefile("rb"):
            if line.startswith(b"turn "):
                turn = line.split()[1]
            elif line == b"go\n":
                if turn != b"0":
                    time.sleep(thinks)
                connection.sendall(b"\n")


def recorded(folder):
    """A match that isn't void, which it is if this machine stalled."""
    for path in folder.glob("**/*.jsonl.gz"):
        with gzip.open(path, "rt") as lines:
            if json.loads(list(lines)[-1])["result"]["end"] != "void":
                return path
    return None


def main():
    folder = Path(sys.argv[1])
    bots = [tuple(map(float, bot.split(","))) for bot in sys.argv[2:]]
    set_up(len(bots))
    threading.Thread(target=reflect, args=[[bot[:3] for bot in bots]], daemon=True).start()
    arena = subprocess.Popen(
        [sys.executable, "-m", "lanista", "arena", "run", folder / "arena.toml"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        port = int(arena.stdout.readline().rpartition(":")[2])
        for number, bot in enumerate(bots):
            threading.Thread(target=play, args=[number, port, bot[3]], daemon=True).start()
        until = time.monotonic() + PATIENCE
        while (path := recorded(folder)) is None:
            if time.monotonic() > until or arena.poll() is not None:
                sys.exit("no match was recorded")
            time.sleep(0.02)
        print(path, flush=True)
    finally:
        arena.send_signal(signal.SIGTERM)
        arena.wait()
    # The bots' threads would be waited for, and some read from a socket for ever.
    os._exit(0)


if __name__ == "__main__":
    main()
