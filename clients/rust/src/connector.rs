//! The way to the arena, walked once, or again and again after pauses (`PROTOCOL.md 8`).

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::thread;
use std::time::Duration;

use crate::error::Error;
use crate::options::Call;
use crate::waiting::address;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Codes after which the same bot would fare no better: "no" in the table of `PROTOCOL.md 7`.
const FINAL_CODES: [&str; 11] = [
    "bad-hello",
    "unknown-game",
    "unknown-version",
    "bad-token",
    "name-taken",
    "replaced",
    "not-utf8",
    "line-too-long",
    "flood",
    "too-many-submoves",
    "unreadable",
];

/// Connects and says hello.
#[derive(Debug)]
pub(crate) struct Connector {
    call: Call,
    pauses: Pauses,
}

impl Connector {
    pub fn new(call: Call) -> Self {
        let pauses = Pauses::new(call.shortest_pause);
        Self { call, pauses }
    }

    /// A first connection; only one attempt is made unless the bot is to connect again.
    pub fn first(&mut self) -> Result<TcpStream, Error> {
        self.connect().or_else(|error| self.again(error))
    }

    /// Another connection, after as many attempts as it takes; the error itself if it is final.
    pub fn again(&mut self, mut error: Error) -> Result<TcpStream, Error> {
        while self.call.reconnect && !FINAL_CODES.contains(&error.code()) {
            let pause = self.pauses.next(random());
            eprintln!("lanista: {}; connecting again in {:.1} s", error, pause.as_secs_f64());
            thread::sleep(pause);
            match self.connect() {
                Ok(stream) => return Ok(stream),
                Err(another) => error = another,
            }
        }
        Err(error)
    }

    /// The arena has let the bot in: the pauses begin anew.
    pub fn let_in(&mut self) {
        self.pauses = Pauses::new(self.call.shortest_pause);
    }

    fn connect(&self) -> Result<TcpStream, Error> {
        let Call { host, port, hello, .. } = &self.call;
        let mut stream = connected(host, *port)
            .map_err(|why| Error::Unreachable(no_arena(host, *port, &why)))?;
        // It fails where the arena has closed: what it said before that waits to be read, and says
        // why.
        let _ = stream.write_all(hello.as_bytes());
        Ok(stream)
    }
}

/// Why there is no connection, and what to do; the words are the same in every client library.
fn no_arena(host: &str, port: u16, why: &io::Error) -> String {
    let address = address(host, port);
    let here = ["127.0.0.1", "localhost", "::1"].contains(&host);
    if here && why.kind() == io::ErrorKind::ConnectionRefused {
        return format!("no arena at {}; start one with `lanista serve`", address);
    }
    let reason = match why.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::TimedOut => "timed out".to_owned(),
        _ => why.to_string(),
    };
    format!("no arena at {}: {}; check the host and the port", address, reason)
}

/// A connection whose small writes go at once (`PROTOCOL.md 1`).
fn connected(host: &str, port: u16) -> io::Result<TcpStream> {
    let unknown = || io::Error::new(io::ErrorKind::NotFound, "unknown host");
    let mut trouble = unknown();
    for address in (host, port).to_socket_addrs().map_err(|_| unknown())? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => trouble = error,
        }
    }
    Err(trouble)
}

/// How long to wait before each attempt.
#[derive(Debug)]
struct Pauses {
    /// The next one, at most.
    longest: Duration,
}

impl Pauses {
    fn new(shortest: Duration) -> Self {
        Self { longest: shortest }
    }

    /// Leaves out a part of up to a half, by a number from 0 to 1.
    fn next(&mut self, random: f64) -> Duration {
        let pause = self.longest.mul_f64(1.0 - random / 2.0);
        self.longest = LONGEST_PAUSE.min(2 * self.longest);
        pause
    }
}

/// A number from 0 to 1, another one each time.
fn random() -> f64 {
    // The standard library's only source of randomness: the keys of hash maps.
    let number = RandomState::new().build_hasher().finish();
    number as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_to_a_minute_less_a_part() {
        for part in [0.0, 0.3, 1.0] {
            let mut pauses = Pauses::new(Duration::from_millis(500));
            for attempt in 0..40 {
                let longest = 0.5 * 2f64.powi(attempt).min(120.0);
                let expected = longest * (1.0 - part / 2.0);
                let pause = pauses.next(part).as_secs_f64();
                assert!((pause - expected).abs() < 1e-6, "{}: {}", attempt, pause);
            }
        }
    }

    #[test]
    fn the_part_is_random() {
        let parts: Vec<f64> = (0..20).map(|_| random()).collect();
        assert!(parts.iter().all(|part| (0.0..=1.0).contains(part)), "{:?}", parts);
        assert!(parts.windows(2).any(|two| (two[0] - two[1]).abs() > 0.05), "{:?}", parts);
    }
}
