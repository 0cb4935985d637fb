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
    let mut waiting: Vec<(Option<Pin<Box<F>>>, Option<F::Output>)> =
        futures.into_iter().map(|future| (Some(Box::pin(future)), None)).collect();
    poll_fn(|cx| {
        let mut pending = false;
        for (future, output) in &mut waiting {
            if let Some(running) = future {
                match running.as_mut().poll(cx) {
                    Poll::Ready(ready) => (*future, *output) = (None, Some(ready)),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    waiting.into_iter().filter_map(|(_, output)| output).collect()
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
