//! Write a bot for the Lanista arena: one crate, no dependency.
//!
//! It speaks version 1 of the wire protocol (`PROTOCOL.md`) over a blocking socket and gives the
//! position as plain fields. No strategy lives here, no thread, no clock but for the pauses between
//! attempts to connect, and nothing beyond the standard library.
//!
//! [`Arena::connect`] is where to begin. What a position has depends on the game and is told by
//! [`AngryMobState`], [`HogwartsState`] and [`CrematoriaState`]; a game that is none of these is
//! played by its facts, with [`State`], or with a [`GameState`] of your own.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod angrymob;
mod arena;
mod connector;
mod conversation;
pub mod crematoria;
mod distances;
mod drawing;
mod error;
mod facts;
pub mod hogwarts;
mod options;
mod state;
mod submove;
mod waiting;

pub use angrymob::AngryMobState;
pub use arena::Arena;
pub use conversation::{MatchResult, Note};
pub use crematoria::{CrematoriaState, CrematoriaUnit};
pub use distances::{Distances, Place};
pub use drawing::Draw;
pub use error::{Error, Unreadable};
pub use facts::Facts;
pub use hogwarts::{HogwartsState, HogwartsUnit};
pub use options::Options;
pub use state::{GameState, Start, State};
pub use submove::{Submove, Token};

/// The README's code, to be compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
