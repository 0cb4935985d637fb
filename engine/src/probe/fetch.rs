//! One GET at a time, with a client of the probe's own.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::client::{Client, Event, ReadMode, Request, Settings, Sink, Timeouts, Token};
use crate::clock::Clock;

/// The most time one reading may take: it should never be late for the next.
const LIMIT: Duration = Duration::from_secs(2);
/// The largest answer.
const LARGEST: u32 = 16 << 20;

/// Asks one URL over and over.
pub(super) struct Fetcher {
    client: Client,
    clock: Rc<dyn Clock>,
    ear: Rc<Ear>,
    path: String,
}

/// Hands the final event to whoever waits.
#[derive(Default)]
struct Ear(RefCell<Option<oneshot::Sender<Event>>>);

impl Sink for Ear {
    fn deliver(&self, _: Token, event: Event) {
        if let Some(waiting) = self.0.borrow_mut().take() {
            // Nobody waits where the run has been given up.
            let _ = waiting.send(event);
        }
    }
}

impl Fetcher {
    pub(super) fn new(settings: Arc<Settings>, clock: Rc<dyn Clock>, path: String) -> Self {
        let ear = Rc::new(Ear::default());
        let client = Client::new(settings, Rc::clone(&clock), Rc::clone(&ear) as Rc<dyn Sink>);
        Self { client, clock, ear, path }
    }

    /// The body of a 200, or in words why there is none.
    pub(super) async fn fetch(&self) -> Result<Bytes, String> {
        let (sender, heard) = oneshot::channel();
        *self.ear.0.borrow_mut() = Some(sender);
        self.client.send(
            Token(0),
            Request {
                authority: None,
                method: "GET".to_owned(),
                path_with_query: self.path.clone(),
                fields: vec![("accept".to_owned(), "text/plain".to_owned())],
                body: Bytes::new(),
                read: ReadMode::Whole(LARGEST),
                peek: 0,
                follow_redirects: 0,
                asked: self.clock.now(),
                timeouts: Timeouts { total: LIMIT, connect: LIMIT, first_byte: LIMIT, idle: LIMIT },
            },
        );
        match heard.await {
            Ok(Event::Response { status: 200, body, .. }) => Ok(body),
            Ok(Event::Response { status, .. }) => Err(format!("status {status}")),
            // Without what differs from one time to the next: failures are counted by their text.
            Ok(Event::Failed { failure, .. }) if failure.reason.is_timeout() => Err(failure.reason.to_string()),
            Ok(Event::Failed { failure, .. }) => Err(failure.to_string()),
            _ => Err("given up".to_owned()),
        }
    }
}
