//! On hyper's connection.

use std::rc::Rc;

use anyhow::{Result, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::Work;

pub(super) async fn ask(work: Rc<Work>) -> Result<()> {
    let stream = TcpStream::connect(work.origin.address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    // How it ended, the sender says too.
    tokio::task::spawn_local(async move { drop(connection.await) });
    while work.goes_on() {
        let request = Request::get(&work.origin.path).header("host", &work.origin.authority);
        let request = request.body(Empty::<Bytes>::new())?;
        sender.ready().await?;
        let mut answer = sender.send_request(request).await?;
        ensure!(answer.status() == 200, "the status is {}", answer.status());
        while let Some(frame) = answer.frame().await {
            frame?;
        }
        work.one_done();
    }
    Ok(())
}
