//! Several futures at once. Any other crate's combinators work as well; these need none.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

/// What [`race`] ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The first future was ready first.
    First(A),
    /// The second one was.
    Second(B),
}

/// Waits for both.
pub async fn join<A: Future, B: Future>(a: A, b: B) -> (A::Output, B::Output) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut of_a, mut of_b) = (None, None);
    poll_fn(|cx| {
        if of_a.is_none()
            && let Poll::Ready(output) = a.as_mut().poll(cx)
        {
            of_a = Some(output);
        }
        if of_b.is_none()
            && let Poll::Ready(output) = b.as_mut().poll(cx)
        {
            of_b = Some(output);
        }
        match (of_a.take(), of_b.take()) {
            (Some(x), Some(y)) => Poll::Ready((x, y)),
            (x, y) => {
                (of_a, of_b) = (x, y);
                Poll::Pending
            }
        }
    })
    .await
}

/// Waits for all of them; outputs in the order given. Each event polls every one that is not ready: for hundreds use
/// a combinator that follows wakers.
pub async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    enum Place<F: Future> {
        Running(Pin<Box<F>>),
        Ready(Option<F::Output>),
    }
    let mut places: Vec<Place<F>> = futures.into_iter().map(|future| Place::Running(Box::pin(future))).collect();
    poll_fn(|cx| {
        let mut pending = false;
        for place in &mut places {
            if let Place::Running(future) = place {
                match future.as_mut().poll(cx) {
                    Poll::Ready(output) => *place = Place::Ready(Some(output)),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending {
            return Poll::Pending;
        }
        let outputs = places.iter_mut().filter_map(|place| match place {
            Place::Ready(output) => output.take(),
            Place::Running(_) => None,
        });
        Poll::Ready(outputs.collect())
    })
    .await
}

/// Waits for whichever is ready first, the first one where both are, and drops the other: its exchanges are cancelled
/// and its timers cleared. `race(reply, ctx.wait(limit))` is a time limit of the plan's own.
pub async fn race<A: Future, B: Future>(a: A, b: B) -> Either<A::Output, B::Output> {
    let (mut a, mut b) = (pin!(a), pin!(b));
    poll_fn(|cx| {
        if let Poll::Ready(output) = a.as_mut().poll(cx) {
            return Poll::Ready(Either::First(output));
        }
        b.as_mut().poll(cx).map(Either::Second)
    })
    .await
}
