//! Opens connections before they are needed.

use std::rc::Rc;

use tokio::sync::mpsc;

use super::failure::Failure;
use super::pool::Pool;

// Opened at the same time: more would overflow the queue of a server that has just started.
const AT_ONCE: usize = 64;

/// Opens up to `n` connections to the target and says how many; the first failure, where there was none but failures.
pub(super) async fn warm_up(pool: &Rc<Pool>, n: usize) -> Result<usize, Failure> {
    let (done, mut outcomes) = mpsc::unbounded_channel();
    let mut left = n.min(pool.room());
    let (mut opening, mut opened, mut first_failure) = (0, 0, None);
    while left + opening > 0 {
        while left > 0 && opening < AT_ONCE {
            pool.connect_idle(done.clone());
            left -= 1;
            opening += 1;
        }
        match outcomes.recv().await {
            Some(Ok(())) => opened += 1,
            Some(Err(failure)) => first_failure = first_failure.or(Some(failure)),
            None => break,
        }
        opening -= 1;
    }
    match first_failure {
        Some(failure) if opened == 0 => Err(failure),
        _ => Ok(opened),
    }
}
