//! On hyper-util's client with its pool.

use std::rc::Rc;

use anyhow::{Result, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::{Request, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use super::Work;

type Pooled = Client<HttpConnector, Empty<Bytes>>;

pub(super) fn client() -> Pooled {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    Client::builder(TokioExecutor::new()).build(connector)
}

pub(super) async fn ask(client: Pooled, work: Rc<Work>) -> Result<()> {
    let uri: Uri = format!("http://{}{}", work.origin.authority, work.origin.path).parse()?;
    while work.goes_on() {
        let request = Request::get(uri.clone()).body(Empty::<Bytes>::new())?;
        let mut answer = client.request(request).await?;
        ensure!(answer.status() == 200, "the status is {}", answer.status());
        while let Some(frame) = answer.frame().await {
            frame?;
        }
        work.one_done();
    }
    Ok(())
}
