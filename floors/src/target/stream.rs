//! A chat completion as server-sent events: hyper asks for the next, and gets it when its time has come.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use stub_model::clock::monotonic_ns;
use tokio::time::Instant;

use super::Shared;

/// The beginning of each event.
const START: &str =
    r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"floor","#;

/// The end of each stream.
const END: &str = concat!(
    r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"floor","#,
    r#""choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    "\n\ndata: [DONE]\n\n"
);

/// The body of an answer.
pub(super) enum Answer {
    /// All of it at once; none when it has been taken.
    Whole(Option<Bytes>),
    /// Events.
    Stream(Stream),
}

/// A stream's state.
pub(super) struct Stream {
    shared: Rc<Shared>,
    asked_ns: u64,
    /// From when the next token is waited for: the due time of the one before.
    from: Instant,
    /// Whether the pacer knows that this stream waits.
    waits: bool,
    sent: u32,
}

impl Stream {
    /// A stream that is asked for now.
    pub(super) fn new(shared: Rc<Shared>) -> Self {
        shared.books.stream_opened();
        Self { shared, asked_ns: monotonic_ns(), from: Instant::now(), waits: false, sent: 0 }
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Shared { books, first_token, next_token, tokens } = &*self.shared;
        if self.sent > *tokens {
            return Poll::Ready(None);
        }
        if self.sent == *tokens {
            self.sent += 1;
            return Poll::Ready(Some(Bytes::from_static(END.as_bytes())));
        }
        let pacer = if self.sent == 0 { first_token } else { next_token };
        if Instant::now() < pacer.due(self.from) {
            if !std::mem::replace(&mut self.waits, true) {
                pacer.wake_later(self.from, cx);
            }
            return Poll::Pending;
        }
        (self.from, self.waits) = (pacer.due(self.from), false);
        let now_ns = monotonic_ns();
        if self.sent == 0 {
            books.first_token(now_ns - self.asked_ns);
        }
        books.token();
        self.sent += 1;
        let choices = r#""choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}]"#;
        Poll::Ready(Some(format!("{START}{choices},\"sent_ns\":{now_ns}}}\n\n").into()))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.shared.books.stream_closed();
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Stream(stream) => stream.poll_event(cx).map(|event| event.map(|event| Ok(Frame::data(event)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Self::Whole(bytes) => {
                hyper::body::SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Stream(_) => hyper::body::SizeHint::default(),
        }
    }
}
