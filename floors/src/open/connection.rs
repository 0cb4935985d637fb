//! One connection, with at most one request on it.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::{Result, bail};

use crate::answer;

#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    due_ns: u64,
    /// What came of an answer that is not whole yet.
    part: Vec<u8>,
}

impl Connection {
    pub(super) fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self { stream, due_ns: 0, part: Vec::new() })
    }

    pub(super) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// When the request on it was due.
    pub(super) fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Sends a request, which fits into the socket's buffer.
    pub(super) fn send(&mut self, request: &[u8], due_ns: u64) -> Result<()> {
        self.due_ns = due_ns;
        Ok(self.stream.write_all(request)?)
    }

    /// Takes what has come. True where the answer is whole.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> Result<bool> {
        loop {
            match self.stream.read(buffer) {
                Ok(0) => bail!("the target closed a connection"),
                // As nearly always: the whole answer at once, with nothing to be kept.
                Ok(read) if self.part.is_empty() && answer::length(&buffer[..read])? == Some(read) => return Ok(true),
                Ok(read) => {
                    self.part.extend_from_slice(&buffer[..read]);
                    if answer::length(&self.part)?.is_some_and(|length| self.part.len() >= length) {
                        self.part.clear();
                        return Ok(true);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
