//! Who the bot is and what it asks for: the hello (`PROTOCOL.md 2`).

use std::env;
use std::fmt;
use std::time::Duration;

use crate::error::Error;

const DEFAULT_HOST: &str = "127.0.0.1";
const DEFAULT_PORT: u16 = 7777;
const LONGEST_NAME: usize = 32; // characters
const SHORTEST_PAUSE: Duration = Duration::from_millis(500);
const SILENCE: Duration = Duration::from_secs(1); // of waiting for an opponent until that is told

/// What to say to the arena, and where it is.
///
/// What isn't said here comes from the environment, which the arena sets for the bots that it
/// starts: `LANISTA_NAME`, `LANISTA_HOST`, `LANISTA_PORT`, `LANISTA_TOKEN`, `LANISTA_QUIET`. An empty
/// variable counts as none. With `LANISTA_LOCAL=1`, which `lanista play`, `check` and tournaments
/// set, host, port, token, room and reconnect count for nothing. This library speaks no TLS: `LANISTA_TLS=1` is an error.
///
/// ```
/// use lanista_client::Options;
///
/// let options = Options::new().name("MyBot").game("angrymob").keep(true);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct Options {
    name: Option<String>,
    game: Option<String>,
    host: Option<String>,
    port: Option<u16>,
    token: Option<String>,
    room: Option<String>,
    seat: Option<u32>,
    keep: bool,
    notes: bool,
    reconnect: bool,
    quiet: Option<bool>,
    shortest_pause: Option<Duration>,
    silence: Option<Duration>,
}

/// Options with the environment's share: where to connect, and what to say there.
#[derive(PartialEq, Eq)]
pub(crate) struct Call {
    pub host: String,
    pub port: u16,
    pub hello: String,
    pub keep: bool,
    pub reconnect: bool,
    pub quiet: bool,
    pub shortest_pause: Duration,
    pub silence: Duration,
}

/// Without the token, which is a secret.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("name", &self.name)
            .field("game", &self.game)
            .field("host", &self.host)
            .field("port", &self.port)
            .field("room", &self.room)
            .field("seat", &self.seat)
            .field("keep", &self.keep)
            .field("notes", &self.notes)
            .field("reconnect", &self.reconnect)
            .field("quiet", &self.quiet)
            .finish_non_exhaustive()
    }
}

/// Without the hello, which has the token.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        f.debug_struct("Call").field("host", host).field("port", port).finish_non_exhaustive()
    }
}

impl Options {
    /// Nothing is asked for yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What to be called, 1 to 32 printable characters; else `LANISTA_NAME`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The ruleset wanted; else the arena's default.
    pub fn game(mut self, game: impl Into<String>) -> Self {
        self.game = Some(game.into());
        self
    }

    /// Where the arena is; else `LANISTA_HOST`, else 127.0.0.1.
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.host = Some(host.into());
        self
    }

    /// Its TCP port; else `LANISTA_PORT`, else 7777.
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// The secret for this name or seat; else `LANISTA_TOKEN`, else none.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    /// Wait for opponents in this room only.
    pub fn room(mut self, room: impl Into<String>) -> Self {
        self.room = Some(room.into());
        self
    }

    /// Ask for this seat, from 0.
    pub fn seat(mut self, seat: u32) -> Self {
        self.seat = Some(seat);
        self
    }

    /// Whether to stay for match after match.
    pub fn keep(mut self, keep: bool) -> Self {
        self.keep = keep;
        self
    }

    /// Whether to be told of everything that was refused, not only of why a match was lost.
    pub fn notes(mut self, notes: bool) -> Self {
        self.notes = notes;
        self
    }

    /// Whether to connect again, for as long as it takes, when there is no connection or it breaks,
    /// and to take the match up again if the arena allows it; each attempt is told on stderr.
    ///
    /// With [`keep`](Options::keep) [`next_turn`](crate::Arena::next_turn) is then never `None`: only
    /// an error ends it that would come again.
    pub fn reconnect(mut self, reconnect: bool) -> Self {
        self.reconnect = reconnect;
        self
    }

    /// Whether not to tell on stderr that the bot has been waiting for an opponent for a second; else
    /// whether `LANISTA_QUIET` is `1`, which the arena sets for the bots that it starts.
    pub fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = Some(quiet);
        self
    }

    /// For tests: the longest that the first pause between two attempts takes, instead of 0.5 s.
    #[doc(hidden)]
    pub fn shortest_pause(mut self, pause: Duration) -> Self {
        self.shortest_pause = Some(pause);
        self
    }

    /// For tests: how long the bot waits until that is told, instead of a second.
    #[doc(hidden)]
    pub fn silence(mut self, silence: Duration) -> Self {
        self.silence = Some(silence);
        self
    }

    /// Completes the options by the environment of this process.
    pub(crate) fn call(&self) -> Result<Call, Error> {
        // A variable that isn't UTF-8 is refused by its replacement characters or by the arena.
        self.call_in(|variable| Some(env::var_os(variable)?.to_string_lossy().into_owned()))
    }

    /// Whether nothing here is for another arena than the one that starts the bot.
    fn is_local(&self) -> bool {
        let words = [&self.host, &self.token, &self.room];
        words.iter().all(|word| word.is_none()) && self.port.is_none() && !self.reconnect
    }

    /// Completes the options by an environment.
    fn call_in(&self, environment: impl Fn(&str) -> Option<String>) -> Result<Call, Error> {
        if environment("LANISTA_LOCAL").as_deref() == Some("1") && !self.is_local() {
            let (host, port, token, room, reconnect) = (None, None, None, None, false);
            return Self { host, port, token, room, reconnect, ..self.clone() }
                .call_in(environment);
        }
        let given = |option: &Option<String>, variable: &str| {
            let some = |text: &String| !text.is_empty();
            option.clone().filter(some).or_else(|| environment(variable).filter(some))
        };
        let name = given(&self.name, "LANISTA_NAME").ok_or_else(|| {
            Error::Invalid(
                "the bot has no name: write Options::new().name(\"MyBot\") or set LANISTA_NAME"
                    .to_owned(),
            )
        })?;
        let flag = |on: bool| on.then(|| "1".to_owned());
        let hello = hello(
            &name,
            &[
                ("v", Some("1".to_owned())),
                ("game", self.game.clone()),
                ("room", self.room.clone()),
                ("seat", self.seat.map(|seat| seat.to_string())),
                ("token", given(&self.token, "LANISTA_TOKEN")),
                ("keep", flag(self.keep)),
                ("notes", flag(self.notes)),
            ],
        )?;
        let no_port = |whose, given: &str| {
            let words = "a port number from 1 to 65535, such as 7777";
            Error::Invalid(format!("{} must be {}, not {}", whose, words, given))
        };
        let port = match (self.port, given(&None, "LANISTA_PORT")) {
            (Some(0), _) => return Err(no_port("port", "0")),
            (Some(port), _) => port,
            (None, None) => DEFAULT_PORT,
            (None, Some(text)) => match text.trim().parse() {
                Ok(port) if port > 0 => port,
                _ => return Err(no_port("LANISTA_PORT", &format!("'{}'", escaped(&text)))),
            },
        };
        if let Some(set) = given(&None, "LANISTA_TLS").filter(|set| set != "0") {
            // The token isn't to be sent in plain text to an arena that was meant to be reached by
            // TLS.
            return Err(Error::Invalid(format!(
                "LANISTA_TLS is {:?}, but this library speaks plain text alone: run socat or \
                 stunnel beside the bot (README.md, \"TLS\"), connect to that, and set \
                 LANISTA_TLS=0",
                set
            )));
        }
        if environment("LANISTA_STDIO").as_deref() == Some("1") {
            return Err(Error::Unreachable(
                "this program connects to the arena by itself; start it without `stdio:` or \
                 `lanista connect`"
                    .to_owned(),
            ));
        }
        let quiet = given(&None, "LANISTA_QUIET").map_or(false, |set| set != "0");
        let host = given(&self.host, "LANISTA_HOST").unwrap_or_else(|| DEFAULT_HOST.to_owned());
        Ok(Call {
            host,
            port,
            hello,
            keep: self.keep,
            reconnect: self.reconnect,
            quiet: self.quiet.unwrap_or(quiet),
            shortest_pause: self.shortest_pause.unwrap_or(SHORTEST_PAUSE),
            silence: self.silence.unwrap_or(SILENCE),
        })
    }
}

/// The line that opens the conversation; an error if the name or an option would not survive the
/// way.
fn hello(name: &str, options: &[(&str, Option<String>)]) -> Result<String, Error> {
    let single_spaced = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let long = name.chars().count() > LONGEST_NAME;
    if !name.chars().all(printable) || name.contains('=') || name != single_spaced || long {
        return Err(Error::Invalid(format!(
            "a name is 1 to {} printable characters, single spaces between, no '=': not {:?}",
            LONGEST_NAME, name
        )));
    }
    let mut hello = name.to_owned();
    for (option, word) in options {
        let word = match word {
            Some(word) => word,
            None => continue,
        };
        if word.is_empty() || word.contains(' ') || !word.chars().all(printable) {
            // A token is a secret.
            let given =
                if *option == "token" { String::new() } else { format!(", not {:?}", word) };
            return Err(Error::Invalid(format!(
                "{} must be one printable word without spaces{}",
                option, given
            )));
        }
        hello.extend([" ", option, "=", word]);
    }
    hello.push('\n');
    Ok(hello)
}

/// A text that does nothing to a terminal: what can't be seen is escaped.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if printable(character) {
            shown.push(character);
        } else {
            shown.extend(character.escape_unicode());
        }
    }
    shown
}

/// Whether a character can be seen: no control or format character, no separator but the space.
fn printable(character: char) -> bool {
    // The standard library knows which are, but tells it only by what it escapes; after another
    // character, for an accent alone is escaped as well.
    let shown = format!("a{}", character).escape_debug().to_string();
    matches!(character, '"' | '\'' | '\\') || !shown.contains('\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nowhere(_: &str) -> Option<String> {
        None
    }

    /// An environment that tells all there is.
    fn all(variable: &str) -> Option<String> {
        let value = match variable {
            "LANISTA_NAME" => "E",
            "LANISTA_HOST" => "arena",
            "LANISTA_PORT" => "99",
            "LANISTA_TOKEN" => "t",
            _ => return None,
        };
        Some(value.to_owned())
    }

    fn hello_of(options: Options) -> String {
        options.call_in(nowhere).unwrap().hello
    }

    #[test]
    fn a_hello_says_name_and_options() {
        assert_eq!("CamperJoe v=1\n", hello_of(Options::new().name("CamperJoe")));
        assert_eq!(
            "Ann Lee v=1 game=angrymob\n",
            hello_of(Options::new().name("Ann Lee").game("angrymob"))
        );
        let much = Options::new().name("A").game("crematoria").room("cup-3").seat(0).token("9f=");
        assert_eq!("A v=1 game=crematoria room=cup-3 seat=0 token=9f=\n", hello_of(much));
        let flags = Options::new().name("Zo\u{eb}").keep(true).notes(true);
        assert_eq!("Zo\u{eb} v=1 keep=1 notes=1\n", hello_of(flags));
        let long = "x".repeat(32);
        assert_eq!(long.clone() + " v=1\n", hello_of(Options::new().name(long)));
    }

    #[test]
    fn a_token_is_not_shown() {
        let options = Options::new().name("A").seat(0).token("secret");
        let call = options.call_in(nowhere).unwrap();
        for shown in [format!("{:?}", options), format!("{:?}", call)] {
            assert!(!shown.contains("secret"), "{}", shown);
        }
        assert!(format!("{:?}", options).contains("seat: Some(0)"));
    }

    #[test]
    fn without_anything_the_arena_is_on_this_machine() {
        let call = Options::new().name("A").call_in(nowhere).unwrap();
        assert_eq!(("127.0.0.1", 7777), (call.host.as_str(), call.port));
    }

    #[test]
    fn the_environment_tells_what_the_options_do_not() {
        let call = Options::new().call_in(all).unwrap();
        assert_eq!(("arena", 99), (call.host.as_str(), call.port));
        assert_eq!("E v=1 token=t\n", call.hello);
    }

    #[test]
    fn options_override_the_environment() {
        let options = Options::new().name("A").host("other").port(1).token("u");
        let call = options
            .call_in(|variable| all(variable).map(|value| value.replace("99", "no")))
            .unwrap();
        assert_eq!(("other", 1), (call.host.as_str(), call.port));
        assert_eq!("A v=1 token=u\n", call.hello);
    }

    #[test]
    fn empty_variables_say_nothing() {
        let call = Options::new().name("A").call_in(|_| Some(String::new())).unwrap();
        assert_eq!(("127.0.0.1", 7777), (call.host.as_str(), call.port));
        assert_eq!("A v=1\n", call.hello);
    }

    #[test]
    fn an_empty_name_or_token_is_none_as_well() {
        assert_eq!(
            "E v=1 token=t\n",
            Options::new().name("").token("").call_in(all).unwrap().hello
        );
    }

    #[test]
    fn what_no_hello_can_say_is_refused_in_one_line() {
        let named = |name: &str| Options::new().name(name);
        for (options, words) in [
            (Options::new(), "has no name"),
            (named("a=b"), "\"a=b\""),
            (named("two\nlines"), "two\\nlines"),
            (named("two  spaces"), "single spaces"),
            (named(" edge"), "single spaces"),
            (named("no\u{a0}break"), "single spaces"),
            (named("zero\u{200b}width"), "printable"),
            (named(&"x".repeat(33)), "1 to 32"),
            (named("A").room("cup 3"), "room must be one printable word without spaces"),
            (named("A").room(""), "room must be"),
            (named("A").game(""), "game must be"),
            (named("A").token("t\n"), "token must be"),
            (named("A").token("my secret"), "token must be"),
        ] {
            let error = options.call_in(nowhere).unwrap_err();
            assert_eq!("invalid", error.code());
            assert!(error.to_string().contains(words), "{}", error);
            assert!(!error.to_string().contains('\n'), "{}", error);
            assert!(!error.to_string().contains("secret"), "{}", error);
        }
    }

    #[test]
    fn a_bot_started_by_lanista_stays_with_it() {
        // What it says of another arena counts for nothing; what it says of itself does.
        let bot = Options::new().name("A").host("other").port(1).token("u").room("pit");
        let local = |variable: &str| match variable {
            "LANISTA_LOCAL" => Some("1".to_owned()),
            _ => all(variable),
        };
        let call = bot.keep(true).reconnect(true).call_in(local).unwrap();
        assert_eq!(("arena", 99, false), (call.host.as_str(), call.port, call.reconnect));
        assert_eq!("A v=1 token=t keep=1\n", call.hello);
    }

    #[test]
    fn a_port_that_is_no_number_is_named() {
        for port in ["http", "65536"] {
            let error = Options::new()
                .name("A")
                .call_in(|variable| (variable == "LANISTA_PORT").then(|| port.to_owned()))
                .unwrap_err();
            let words = "LANISTA_PORT must be a port number from 1 to 65535, such as 7777";
            assert_eq!(format!("{}, not '{}'", words, port), error.to_string());
        }
        let error = Options::new().name("A").port(0).call_in(nowhere).unwrap_err();
        let expected = "port must be a port number from 1 to 65535, such as 7777, not 0";
        assert_eq!(expected, error.to_string());
    }

    #[test]
    fn an_environment_that_asks_for_tls_is_refused() {
        let call = |set: &str| {
            let variable = |name: &str| (name == "LANISTA_TLS").then(|| set.to_owned());
            Options::new().name("A").call_in(variable)
        };
        for set in ["1", "yes"] {
            assert_eq!(
                Error::Invalid(format!(
                    "LANISTA_TLS is {:?}, but this library speaks plain text alone: run socat or \
                     stunnel beside the bot (README.md, \"TLS\"), connect to that, and set \
                     LANISTA_TLS=0",
                    set
                )),
                call(set).unwrap_err()
            );
        }
        assert!(call("").is_ok() && call("0").is_ok());
    }

    #[test]
    fn silence_can_be_asked_for() {
        for (set, option, quiet) in [
            ("", None, false),
            ("0", None, false),
            ("1", None, true),
            ("0", Some(true), true),
            ("1", Some(false), false),
        ] {
            let mut options = Options::new().name("A");
            options.quiet = option;
            let variable = |name: &str| (name == "LANISTA_QUIET").then(|| set.to_owned());
            assert_eq!(quiet, options.call_in(variable).unwrap().quiet, "{:?} {:?}", set, option);
        }
    }

    #[test]
    fn accents_quotes_and_emoji_are_printable_and_controls_are_not() {
        for character in ['a', '\u{301}', '"', '\\', '\'', '\u{1f40d}', '\u{4e2d}', ' '] {
            assert!(printable(character), "{:?}", character);
        }
        for character in ['\0', '\t', '\r', '\u{7f}', '\u{a0}', '\u{200e}', '\u{2028}', '\u{e000}']
        {
            assert!(!printable(character), "{:?}", character);
        }
    }
}
