//! Several futures at once. Any other crate's combinators work as well; these need none.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

/// What [`race`] ended with.
///
/// ```
/// use std::time::Duration;
///
/// use engine_sdk::{Context, Either, Stop, Verdict, race};
///
/// async fn page(ctx: &Context) -> Verdict {
///     match race(ctx.get("/page").send(), ctx.wait(Duration::from_secs(2))).await {
///         Either::First(reply) => reply?.expect_status(200)?,
///         Either::Second(()) => return Err(Stop::failed("no answer after two seconds")),
///     };
///     Ok(())
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The first future was ready first.
    First(A),
    /// The second one was.
    Second(B),
}

/// Waits for both; outputs in the order given.
///
/// ```
/// # use engine_sdk::{example, join, testing::Script};
/// # example!(Example(ctx) {
/// let (a, b) = join(ctx.get("/a").send(), ctx.get("/b").send()).await;
/// a?.expect_status(200)?;
/// b?.expect_status(200)?;
/// # Ok(())
/// # });
/// # let run = Script::new().on("GET", "/a").reply(200, "").on("GET", "/b").reply(200, "").run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
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
///
/// ```
/// # use engine_sdk::{example, join_all, testing::Script};
/// # example!(Example(ctx) {
/// let pictures = (0..4).map(|i| ctx.get(format!("/picture?n={i}")).count_body().send());
/// for picture in join_all(pictures).await {
///     picture?.expect_status(200)?;
/// }
/// # Ok(())
/// # });
/// # let run = Script::new().on("GET", "/picture").times(4).reply(200, "").run::<Example>("{}");
/// # assert_eq!(run.reason(), None);
/// ```
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
///
/// ```
/// # use engine_sdk::{Either, example, race, Stop, testing::Script};
/// # example!(Example(ctx) {
/// use std::time::Duration;
///
/// match race(ctx.get("/slow").send(), ctx.wait(Duration::from_secs(2))).await {
///     Either::First(reply) => reply?.expect_status(200)?,
///     Either::Second(()) => return Err(Stop::failed("too slow")),
/// };
/// # Ok(())
/// # });
/// # let run =
/// #     Script::new().on("GET", "/slow").after(std::time::Duration::from_secs(5)).reply(200, "").run::<Example>("{}");
/// # assert_eq!(run.reason(), Some("check: too slow"));
/// # assert_eq!(run.took(), std::time::Duration::from_secs(2));
/// ```
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
