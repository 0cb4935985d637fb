//! The addresses of one name: looked up once for all who wait, rotated, and looked up again when old.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::Mutex;

use super::connect::Connect;
use super::failure::{Failure, Reason};
use crate::clock::{Clock, Time};

/// The addresses of one name.
pub(super) struct Addresses {
    age: Duration,
    // An async lock: whoever holds it looks up, the others wait for the outcome.
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    list: Vec<SocketAddr>,
    next: usize,
    looked_up: Time,
    failed: Option<(Time, Failure)>,
}

impl Addresses {
    /// No addresses yet; those found count as old after `age`.
    pub(super) fn new(age: Duration) -> Self {
        Self { age, known: Mutex::new(Known::default()) }
    }

    /// All addresses, beginning with another one each time, and whether a look-up had to be waited for.
    pub(super) async fn get(
        &self,
        host: &str,
        port: u16,
        network: &dyn Connect,
        clock: &dyn Clock,
    ) -> Result<(Vec<SocketAddr>, bool), Failure> {
        let asked = clock.now();
        let mut known = self.known.lock().await;
        let mut waited = known.looked_up > asked;
        if let Some((at, failure)) = &known.failed
            && *at > asked
        {
            // Failed while this one waited for it.
            return Err(failure.clone());
        }
        if known.list.is_empty() || clock.now() - known.looked_up >= self.age {
            match look_up(host, port, network).await {
                Ok(list) => {
                    waited = true;
                    *known = Known { list, next: known.next, looked_up: clock.now(), failed: None };
                }
                Err(failure) => {
                    known.failed = Some((clock.now(), failure.clone()));
                    return Err(failure);
                }
            }
        }
        let first = known.next % known.list.len();
        known.next = first + 1;
        let mut rotated = known.list.clone();
        rotated.rotate_left(first);
        Ok((rotated, waited))
    }
}

async fn look_up(host: &str, port: u16, network: &dyn Connect) -> Result<Vec<SocketAddr>, Failure> {
    match network.lookup(host, port).await {
        Ok(list) if list.is_empty() => Err(Failure::new(Reason::Dns, format!("{host} has no address"))),
        Ok(list) => Ok(list),
        Err(error) => {
            let failure = Failure::of_io(&error);
            let reason = if failure.reason == Reason::FdExhausted { failure.reason } else { Reason::Dns };
            Err(Failure::new(reason, format!("{host}: {error}")))
        }
    }
}
