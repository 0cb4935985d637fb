//! On a stream of tokio's.

use std::rc::Rc;

use anyhow::{Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Work;
use crate::answer;

/// Room for an answer.
const ROOM: usize = 16 * 1024;

pub(super) async fn ask(work: Rc<Work>) -> Result<()> {
    let mut stream = TcpStream::connect(work.origin.address).await?;
    stream.set_nodelay(true)?;
    let request = work.origin.get();
    let mut buffer = vec![0; ROOM];
    while work.goes_on() {
        stream.write_all(&request).await?;
        let (mut received, mut length) = (0, None);
        while length.is_none_or(|length| received < length) {
            let read = stream.read(&mut buffer[received..]).await?;
            ensure!(read > 0, "the target closed a connection, or its answer is longer than {ROOM} bytes");
            received += read;
            if length.is_none() {
                length = answer::length(&buffer[..received])?;
            }
        }
        work.one_done();
    }
    Ok(())
}
