//! An arena that follows a script, byte for byte, over a real connection.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lanista_client::{Arena, GameState, Options};

/// The map of rules/angrymob.md 5, as both seats are told it (PROTOCOL.md 5).
pub const START: &str = "\
start 01JDEXAMPLE
game angrymob
seat 0
player 0 Ann Lee
player 1 B\u{f6}b
clock 20 0.2
seed 52011
set move_limit 2400
size 6 7
base 0 2 1
base 1 3 5
row 0 . 1 . . # # 2
row 1 # 1 1 . 3 . 1
row 2 . A . # # . .
row 3 . . # # . B .
row 4 1 . 3 . 1 1 #
row 5 2 # # . . 1 .
";
pub const TURN_0: &str = "turn 0\nunit 2 1 0 1\nunit 3 5 1 1\ntotal 0 1\ntotal 1 1\ngo\n";
pub const TURN_1: &str = "\
turn 1
moved 0 2 1 1 1
moved 1 3 5 1 3
unit 1 1 0 2
unit 4 5 1 2
neutral 1 1 0
neutral 4 5 0
total 0 2
total 1 2
go
";
pub const FORFEIT: &str = "end forfeit\nrank 0 1\nrank 1 2\nscore 0 2\nscore 1 2\n";
pub const WELCOME: &str = "welcome 1 lanista 0.1.0\nwait 1 2\n";

/// All of a short match.
pub fn whole_match() -> String {
    [WELCOME, START, TURN_0, TURN_1, FORFEIT, "bye\n"].concat()
}

/// What the arena does next.
pub enum Step {
    /// It sends these bytes.
    Says(Vec<u8>),
    /// It waits for exactly these bytes.
    Hears(Vec<u8>),
    /// It waits for the hello; the order of its options is free.
    Greets(Vec<u8>),
    /// It closes the connection; what follows is for the next one.
    Closes,
}

/// An arena for one connection after another, on a port of its own.
pub struct Scripted {
    pub port: u16,
    thread: JoinHandle<Vec<u8>>,
}

impl Scripted {
    /// It follows the script, closes its sending half, and reads what else the bot says.
    pub fn new(mut script: Vec<Step>) -> Self {
        if let Some(Step::Closes) = script.last() {
            script.pop(); // as it does anyway
        }
        Self::listen(move |listener| {
            let connections = script.split(|step| matches!(step, Step::Closes));
            connections
                .flat_map(|steps| {
                    hear_out(listener, |stream| {
                        follow(stream, steps);
                        stream.shutdown(Shutdown::Write).unwrap();
                    })
                })
                .collect()
        })
    }

    /// It does something with the connection.
    pub fn serve(first: impl FnOnce(&mut TcpStream) + Send + 'static) -> Self {
        Self::listen(|listener| hear_out(listener, first))
    }

    fn listen(serve: impl FnOnce(&TcpListener) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Self { port, thread: thread::spawn(move || serve(&listener)) }
    }

    /// A connection to it.
    pub fn connect<S: GameState>(&self, options: Options) -> Arena<S> {
        Arena::connect(options.host("127.0.0.1").port(self.port)).unwrap()
    }

    /// Waits for its end: what the bot said beyond the script.
    pub fn heard(self) -> String {
        String::from_utf8(self.thread.join().unwrap()).unwrap()
    }
}

/// Does something with the next connection, then reads what else the bot says.
fn hear_out(listener: &TcpListener, first: impl FnOnce(&mut TcpStream)) -> Vec<u8> {
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    first(&mut stream);
    let mut rest = Vec::new();
    match stream.read_to_end(&mut rest) {
        // A bot that leaves without reading all resets the connection.
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{}", error),
        _ => rest,
    }
}

fn follow(stream: &mut TcpStream, script: &[Step]) {
    for step in script {
        match step {
            Step::Says(data) => stream.write_all(data).unwrap(),
            Step::Hears(data) => {
                let heard = hear(stream, data.len());
                assert_eq!(String::from_utf8_lossy(data), String::from_utf8_lossy(&heard));
            }
            Step::Greets(data) => {
                let heard = hear(stream, data.len());
                assert_eq!(sorted(data), sorted(&heard));
            }
            Step::Closes => unreachable!("a connection has one end"),
        }
    }
}

fn hear(stream: &mut TcpStream, length: usize) -> Vec<u8> {
    let mut heard = vec![0; length];
    stream.read_exact(&mut heard).expect("the bot says as much as it should");
    heard
}

fn sorted(hello: &[u8]) -> Vec<String> {
    let mut words: Vec<_> =
        String::from_utf8_lossy(hello).split(' ').map(|word| word.trim_end().to_owned()).collect();
    words.sort();
    words
}

/// An arena that says all this at once, without listening.
pub fn says(said: impl Into<Vec<u8>>) -> Scripted {
    Scripted::new(vec![Step::Says(said.into())])
}

/// A bot called A, with an arena that says all this at once.
pub fn told<S: GameState>(said: impl Into<Vec<u8>>) -> Arena<S> {
    says(said).connect(Options::new().name("A"))
}

/// The position at the first `go` of what the arena says.
pub fn position<S: GameState>(said: impl Into<Vec<u8>>) -> Arc<S> {
    told(said).next_turn().unwrap().unwrap()
}
