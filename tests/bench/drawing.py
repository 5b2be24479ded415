"""How fast the page draws: milliseconds a picture of a board, in Chromium without a graphics card.

Every picture is drawn between two rounds of a match, units on their way, and read back by one
pixel, so that the time is that of the whole drawing and not of its queueing. The aim is 60
pictures a second for Crematoria's two levels: 16.7 ms each.
"""

import json
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from measured import keep, printed, recorded

sys.path.insert(0, str(Path(__file__).parent.parent / "page"))

from browser import Browser

from lanista.page.replay_reader import read_frames
from lanista.page.routes import page_files

MATCHES = {
    "crematoria": ("Demo", "Dummy", "Demo", "Dummy"),
    "hogwarts": ("Demo", "Dummy", "Demo", "Dummy"),
    "angrymob": ("GravityGoers", "RandomRunners"),
}
WIDTH, HEIGHT = 1920, 1080
DRAW = """
async ([width, height]) => {
  const { Board } = await import("/page/board.js");
  const { MatchFrames } = await import("/page/match_frames.js");
  const frames = MatchFrames.fromData(await (await fetch("/match.json")).json());
  const canvas = document.createElement("canvas");
  document.body.replaceChildren(canvas);
  const board = new Board(canvas, frames.head, { small: false });
  board.resize(width, height);
  const context = canvas.getContext("2d");
  const times = [];
  const middle = Math.floor(frames.count / 2);
  for (let n = 0; n < 200; n++) {
    const place = Math.min(middle + Math.floor(n / 10), frames.count - 1);
    const position = frames.position(place);
    const previous = frames.position(place - 1);
    const began = performance.now();
    board.draw(position, { previous, t: (n % 10) / 10, followed: null, hover: null });
    context.getImageData(0, 0, 1, 1);
    times.push(performance.now() - began);
  }
  times.splice(0, 20); // what is prepared once
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)];
  return { median: at(0.5), p95: at(0.95) };
}
"""


def match_json(game, bots, folder):
    """Return the frames of a match of house bots as JSON."""
    record = Path(folder) / f"{game}.jsonl.gz"
    recorded(record, game, *bots)
    head, *frames, end = read_frames(record)
    return json.dumps({"head": head, "frames": frames, "end": end}).encode()


def measured():
    """Yield a row for each game."""
    served = {path: (file.body, file.type) for path, file in page_files().items()}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body, kind = served.get(self.path, (b"", "text/plain"))
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/blank"
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            served["/blank"] = (b"<!doctype html><title>.</title>", "text/html")
            for game, bots in MATCHES.items():
                served["/match.json"] = (match_json(game, bots, folder), "application/json")
                visit = browser.visit(size={"width": WIDTH, "height": HEIGHT})
                page = visit.open(url)
                took = page.evaluate(DRAW, [WIDTH, HEIGHT - 180])
                visit.close()
                yield {"game": game} | {name: round(value, 2) for name, value in took.items()}
    finally:
        browser.close()
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    keep("drawing", {"unit": "ms a picture", "aim": "16.7", "rows": printed(measured())})
