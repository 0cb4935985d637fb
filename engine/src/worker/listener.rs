//! Who listens in on a single flow: `engine try`, and setup.

use crate::client;
use crate::clock::Time;
use crate::pieces::Message;
use crate::plugin::{Action, LogLine, Request};
use crate::record::{MarkSample, Outcome};

/// Hears what the recorder has no use for. A run has none.
pub(super) trait Listener {
    /// The plugin asked for an exchange.
    fn asked(&mut self, exchange: u32, name: &str, request: &Request, asked: Time);

    /// The plugin asked for something, of whatever kind: told before it is done.
    fn did(&mut self, action: &Action);

    /// A timer fired.
    fn rang(&mut self, timer: u32);

    /// The plugin sent a message on a WebSocket.
    fn wrote(&mut self, exchange: u32, message: &Message);

    /// The client told of an exchange.
    fn heard(&mut self, exchange: u32, event: &client::Event);

    /// The plugin set a mark; none of its interval where it was the first of a lap.
    fn marked(&mut self, mark: MarkSample);

    /// The plugin logged a line.
    fn logged(&mut self, line: LogLine);

    /// A setup flow shared a JSON text.
    fn shared(&mut self, json: String);

    /// The flow has ended.
    fn ended(&mut self, outcome: Outcome<'_>, end: Time);
}
