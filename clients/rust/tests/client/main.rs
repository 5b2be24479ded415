//! Tests of the client against an arena that follows a script.

mod author;
mod conversations;
mod four;
mod json;
mod matches;
mod reconnect;
mod scripted;
