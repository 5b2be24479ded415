package lanista

import (
	"strings"
	"unicode/utf8"
)

const logPiece = 1 << 13 // code points, at most 4 bytes each: within the 65,536 bytes of PROTOCOL.md 1

// Log has the arena keep a text with this turn; long lines are divided
// (PROTOCOL.md 4). It is sent at once, so that it isn't lost when the bot then
// fails. The arena keeps 16 KiB a turn.
func (a *Arena[S]) Log(text string) {
	text = strings.Map(newline, strings.ReplaceAll(text, "\r\n", "\n")) // of valid UTF-8 too, by Map
	var out []byte
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		for {
			piece := line[:cut(line)]
			line = line[len(piece):]
			out = append(append(append(out, "# "...), piece...), '\n')
			if line == "" {
				break
			}
		}
	}
	a.write(out)
}

// newline makes one of every character that divides lines for some reader.
func newline(r rune) rune {
	switch r {
	case '\r', '\v', '\f', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029:
		return '\n'
	}
	return r
}

// cut is how many bytes of a line make one piece of the log.
func cut(line string) int {
	if len(line) <= logPiece {
		return len(line)
	}
	at := 0
	for n := 0; n < logPiece && at < len(line); n++ {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}
