//! The task behind the queue: tells what no connection can tell (refusals, time-outs of those who wait) and opens
//! connections when a place became free unexpectedly.

use std::rc::Rc;
use std::time::Duration;

use super::pool::Pool;

// Also bounds the sleep when a deadline lies centuries ahead.
const LONGEST_SLEEP: Duration = Duration::from_hours(1);

/// Runs until the client is gone.
pub(super) async fn run(pool: Rc<Pool>) {
    while !pool.is_aborted() {
        while let Some((token, event)) = pool.next_posted() {
            pool.deliver(token, event);
        }
        let mut now = pool.clock.now();
        while let Some((token, event)) = pool.next_expired(now) {
            pool.deliver(token, event);
            now = pool.clock.now();
        }
        pool.pump();
        match pool.next_expiry() {
            None => pool.keeper.notified().await,
            Some(at) => {
                let ahead = (at - pool.clock.now()).min(LONGEST_SLEEP);
                // Either wakes it; which one does not matter.
                let _ = tokio::time::timeout(ahead, pool.keeper.notified()).await;
            }
        }
    }
}
