//! What a person who starts a bot reads while it waits for an opponent.

use std::io::{self, BufRead, BufReader};
use std::net::TcpStream;
use std::time::Duration;

use crate::conversation::Note;
use crate::options::{escaped, Call};

/// Tells once that the bot waits, when the arena has been silent for a second.
#[derive(Debug)]
pub(crate) struct Waiting {
    place: String,
    /// What the bot asks for, as in "game angrymob, room lab, ".
    wanted: String,
    silence: Duration,
    /// Nothing is to be told.
    quiet: bool,
    /// That the bot waits has been told.
    told: bool,
}

impl Waiting {
    pub fn new(call: &Call) -> Self {
        let wanted = call.hello.split_whitespace().filter_map(|word| word.split_once('='));
        let wanted = wanted
            .filter(|(key, _)| ["game", "room"].contains(key))
            .map(|(key, word)| format!("{} {}, ", key, word))
            .collect();
        let place = address(&call.host, call.port);
        Self { place, wanted, silence: call.silence, quiet: call.quiet, told: false }
    }

    /// The arena has said `wait` with these words: seats taken and seats needed.
    pub fn tell(&mut self, input: &mut BufReader<TcpStream>, taken: &(String, String)) {
        if !self.quiet && !self.told && is_silent(input, self.silence) {
            self.told = true;
            eprintln!("{}", self.words(taken));
        }
    }

    /// The arena has sent a note with the code `room`, or else `benched`.
    pub fn tell_note(&self, note: &Note) {
        let rest = match (note.code.as_str(), note.turn) {
            ("room", _) => String::new(),
            (_, 0) => "benched: ".to_owned(),
            (_, seconds) => format!("benched for {} s: ", seconds),
        };
        if !self.quiet {
            eprintln!("lanista: {}{}", rest, escaped(&note.words));
        }
    }

    fn words(&self, (taken, needed): &(String, String)) -> String {
        format!(
            "lanista: waiting for an opponent at {} ({}{} of {} seats taken); the arena's page, \
             whose address `lanista serve` prints, shows who is there",
            self.place,
            self.wanted,
            escaped(taken),
            escaped(needed)
        )
    }
}

/// Host and port as one word; an IPv6 address is put in brackets.
pub(crate) fn address(host: &str, port: u16) -> String {
    if host.contains(':') {
        format!("[{}]:{}", host, port)
    } else {
        format!("{}:{}", host, port)
    }
}

/// Whether nothing comes for so long; what comes stays to be read.
fn is_silent(input: &mut BufReader<TcpStream>, silence: Duration) -> bool {
    if input.get_ref().set_read_timeout(Some(silence)).is_err() {
        return false;
    }
    let silent = match input.fill_buf() {
        Ok(_) => false,
        // Which of the two it is depends on the system.
        Err(error) => {
            matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
        }
    };
    // It fails where the connection is over, as the next read says.
    let _ = input.get_ref().set_read_timeout(None);
    silent
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;
    use crate::options::Options;

    /// Both ends of a connection, the first to be read.
    fn connection() -> (BufReader<TcpStream>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let ours = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (BufReader::new(ours), listener.accept().unwrap().0)
    }

    fn waiting(options: Options) -> Waiting {
        Waiting::new(&options.name("A").host("::1").port(7).quiet(false).call().unwrap())
    }

    #[test]
    fn it_is_told_for_what_the_bot_waits_and_where_to_look() {
        for (options, details) in [
            (Options::new(), ""),
            (Options::new().game("angrymob"), "game angrymob, "),
            (
                Options::new().game("angrymob").room("lab").token("room=x").keep(true),
                "game angrymob, room lab, ",
            ),
        ] {
            let words = format!(
                "lanista: waiting for an opponent at [::1]:7 ({}1 of 2 seats taken); the arena's \
                 page, whose address `lanista serve` prints, shows who is there",
                details
            );
            assert_eq!(words, waiting(options).words(&("1".to_owned(), "2".to_owned())));
        }
    }

    #[test]
    fn it_is_told_once() {
        let (mut input, _other) = connection();
        let mut waiting = waiting(Options::new().silence(Duration::from_millis(1)));
        assert!(!waiting.told);
        let taken = ("1".to_owned(), "2".to_owned());
        waiting.tell(&mut input, &taken);
        assert!(waiting.told);
        waiting.silence = Duration::from_secs(60);
        waiting.tell(&mut input, &taken); // else it would take a minute
    }

    #[test]
    fn a_silence_takes_nothing_from_what_is_read() {
        let (mut input, mut other) = connection();
        assert!(is_silent(&mut input, Duration::from_millis(1)));
        other.write_all(b"start 1\n").unwrap();
        assert!(!is_silent(&mut input, Duration::from_secs(60)));
        assert_eq!(None, input.get_ref().read_timeout().unwrap());
        let mut line = [0; 8];
        input.read_exact(&mut line).unwrap();
        assert_eq!(b"start 1\n", &line);
        drop(other);
        assert!(!is_silent(&mut input, Duration::from_secs(60)), "an end is no silence");
    }
}
