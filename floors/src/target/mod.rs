//! `floor target`: what the clients ask. It costs a third less than the stub, which keeps books of every request.

mod answer;
mod books;
mod pacer;
mod stream;

use std::io::Write;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Result;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use stub_model::listen::Listener;
use stub_model::parent::Parent;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::LocalSet;

use crate::process;
use books::Books;
use pacer::Pacer;

#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// Address to listen on, a loopback one; port 0 takes any free one, which is printed
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Milliseconds until the first token of a chat completion
    #[arg(long, value_name = "MS", default_value_t = 200)]
    first_token_ms: u32,
    /// Milliseconds from one token to the next
    #[arg(long, value_name = "MS", default_value_t = 20)]
    token_ms: u32,
    /// Tokens of a chat completion
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    tokens: u32,
    /// Stop when the process that started this one ends
    #[arg(long)]
    die_with_parent: bool,
}

/// What all connections share.
struct Shared {
    books: Books,
    first_token: Rc<Pacer>,
    next_token: Rc<Pacer>,
    tokens: u32,
}

impl Target {
    /// Serves until the process is told to stop.
    pub(crate) fn run(&self, parent: Parent) -> Result<()> {
        process::raise_descriptor_limit();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        LocalSet::new().block_on(&runtime, async {
            let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
            let parent = self.die_with_parent.then(|| parent.watch()).transpose()?;
            let listener = Listener::bind(self.listen, false)?;
            // A parent that closed its end knows the port by other means.
            let mut out = std::io::stdout().lock();
            let _ = writeln!(out, "listening on http://{}", listener.address()).and_then(|()| out.flush());
            drop(out);
            let gone = async {
                match parent {
                    Some(watch) => watch.gone().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.serve(&listener) => {}
                () = gone => {}
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            Ok(())
        })
    }

    async fn serve(&self, listener: &Listener) {
        let pacer = |ms: u32| Pacer::start(Duration::from_millis(ms.into()));
        let shared = Rc::new(Shared {
            books: Books::default(),
            first_token: pacer(self.first_token_ms),
            next_token: pacer(self.token_ms),
            tokens: self.tokens,
        });
        loop {
            let stream = listener.accept(|_| ()).await;
            shared.books.connected();
            let shared = Rc::clone(&shared);
            tokio::task::spawn_local(async move {
                let service = service_fn(move |request| answer::answer(Rc::clone(&shared), request));
                // A client that breaks off is no error.
                let mut http = Builder::new();
                http.header_read_timeout(None).pipeline_flush(true);
                drop(http.serve_connection(TokioIo::new(stream), service).await);
            });
        }
    }
}
