//! Drawing on the board of whoever may see the bot's log (`PROTOCOL.md 9`).

use std::io::Write;

use crate::distances::Place;

/// Characters of a line, at most 4 bytes each: within PROTOCOL.md 1's 65,536 bytes. A line that is
/// cut is too long to be drawn, so half a number never draws anything.
const LONGEST: usize = 1 << 13;

/// Shows something on the board in the present turn: `arena.draw().cell((3, 4), "red")`.
///
/// Places are `(row, column)`, in Crematoria `(row, column, level)`, as in the state. A colour is
/// `own` (the seat's), `red`, `orange`, `yellow`, `green`, `blue`, `pink`, `gray`, `ink` (dark on
/// light, light on dark) or `#rrggbb`.
///
/// Each call is sent at once, as log lines: the arena keeps 16 KiB a turn. Nothing is checked:
/// whoever shows the board remarks beside a line what is wrong with it, so that drawing never costs
/// a match.
pub struct Draw<'a> {
    out: &'a mut dyn Write,
}

impl<'a> Draw<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        Self { out }
    }

    /// Marks a cell.
    pub fn cell<P: Place>(&mut self, place: P, colour: &str) {
        self.cells(&[place], colour);
    }

    /// Marks cells; one call for many needs less of the log than many calls.
    pub fn cells<P: Place>(&mut self, places: &[P], colour: &str) {
        self.points("cell", 1, places, colour);
    }

    /// Draws a line from place to place; where it changes the level, it begins anew.
    pub fn line<P: Place>(&mut self, places: &[P], colour: &str) {
        self.points("line", 2, places, colour);
    }

    /// Draws a line as [`line`](Draw::line) does, with an arrowhead at its end.
    pub fn arrow<P: Place>(&mut self, places: &[P], colour: &str) {
        self.points("arrow", 2, places, colour);
    }

    /// Writes a text of up to 80 characters that begins at a cell.
    pub fn text<P: Place>(&mut self, place: P, text: &str, colour: &str) {
        let (i, j, level) = place.coordinates();
        self.write(&format!("text {} {}{} {} {}", i, j, word(level), colour, text));
    }

    /// Gives the number of this turn for the curve of that name (of `A-Z a-z 0-9 . _ -`).
    pub fn value(&mut self, name: &str, number: f64) {
        // Without an exponent, small numbers would have too many digits.
        let small = number != 0.0 && number.abs() < 1e-5;
        let digits = if small { format!("{:e}", number) } else { number.to_string() };
        self.write(&format!("value {} {}", name, digits));
    }

    /// Draws by as many lines of the log as there are changes of the level.
    fn points<P: Place>(&mut self, kind: &str, least: usize, places: &[P], colour: &str) {
        let mut rest = places;
        while let Some(first) = rest.first() {
            let level = first.coordinates().2;
            let same = rest.iter().take_while(|place| place.coordinates().2 == level).count();
            let (run, others) = rest.split_at(same);
            if run.len() >= least {
                let mut words = kind.to_owned();
                for place in run {
                    let (i, j, _) = place.coordinates();
                    words += &format!(" {} {}", i, j);
                }
                self.write(&format!("{}{} {}", words, word(level), colour));
            }
            rest = others;
        }
    }

    fn write(&mut self, words: &str) {
        let seen = words.chars().take(LONGEST).map(|character| match character {
            '\u{2028}' | '\u{2029}' => ' ',
            other if other.is_control() => ' ',
            other => other,
        });
        let line: String = "#@ ".chars().chain(seen).chain("\n".chars()).collect();
        // It fails where the arena has closed: what it said before that waits to be read, and says
        // why.
        let _ = self.out.write_all(line.as_bytes());
    }
}

/// A level as a word of the line, if there is one.
fn word(level: Option<i32>) -> String {
    level.map_or_else(String::new, |level| format!(" {}", level))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(draw: impl FnOnce(&mut Draw)) -> String {
        let mut out = Vec::new();
        draw(&mut Draw::new(&mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_call_is_a_line_of_the_form() {
        let path = [(3, 4), (3, 9), (12, 9)];
        assert_eq!("#@ cell 3 4 red\n", drawn(|draw| draw.cell((3, 4), "red")));
        assert_eq!("#@ cell 3 4 1 #8040ff\n", drawn(|draw| draw.cell((3, 4, 1), "#8040ff")));
        assert_eq!("#@ cell 3 4 3 9 12 9 blue\n", drawn(|draw| draw.cells(&path, "blue")));
        assert_eq!("#@ line 3 4 3 9 12 9 own\n", drawn(|draw| draw.line(&path, "own")));
        assert_eq!("#@ arrow 3 4 3 9 12 9 pink\n", drawn(|draw| draw.arrow(&path, "pink")));
        assert_eq!("#@ text 3 4 ink go on\n", drawn(|draw| draw.text((3, 4), "go on", "ink")));
        assert_eq!("#@ text 3 4 1 ink é\n", drawn(|draw| draw.text((3, 4, 1), "é", "ink")));
        assert_eq!("#@ value danger 0.25\n", drawn(|draw| draw.value("danger", 0.25)));
        assert_eq!("#@ value danger -7\n", drawn(|draw| draw.value("danger", -7.0)));
        assert_eq!("#@ value danger 1e-9\n", drawn(|draw| draw.value("danger", 1e-9)));
    }

    #[test]
    fn a_change_of_the_level_begins_another_line() {
        let path = [(1, 1, 0), (1, 2, 0), (1, 2, 1), (1, 3, 1), (1, 3, 0)];
        let lines = "#@ arrow 1 1 1 2 0 red\n#@ arrow 1 2 1 3 1 red\n";
        assert_eq!(lines, drawn(|draw| draw.arrow(&path, "red")));
        let cells = "#@ cell 1 1 1 2 0 red\n#@ cell 1 2 1 3 1 red\n#@ cell 1 3 0 red\n";
        assert_eq!(cells, drawn(|draw| draw.cells(&path, "red")));
        assert_eq!("", drawn(|draw| draw.line(&[(1, 1)], "red")));
        assert_eq!("", drawn(|draw| draw.cells::<(i32, i32)>(&[], "red")));
    }

    #[test]
    fn no_text_ends_the_line_or_makes_it_too_long() {
        let hostile = "a\nb\r\u{85}\u{2028}c";
        assert_eq!("#@ text 1 2 red a b   c\n", drawn(|draw| draw.text((1, 2), hostile, "red")));
        assert_eq!("#@ cell 1 2 red 1 2 1 0\n", drawn(|draw| draw.cell((1, 2), "red\n1 2 1 0")));
        let long = drawn(|draw| draw.text((1, 2), &"\u{1f40d}".repeat(40_000), "red"));
        assert!(long.len() <= 65_536 && long.ends_with('\n'));
        assert!(long.chars().count() > 8000, "viewers take no part of it for the whole");
    }
}
