//! A client on a bare socket that shows exactly what came, and a stub for it to talk to.

use std::fmt::Write;
use std::time::Duration;

use serde_json::Value;
use stub_model::small::{Handle, Settings, start};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// Nothing in these tests takes longer than this unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A server on a free port with a journal of modest size.
pub(crate) fn server() -> stub_model::server::Settings {
    stub_model::server::Settings { journal_capacity: 10_000, ..Default::default() }
}

/// A small target on a free port with a journal of modest size.
pub(crate) fn stub() -> Handle {
    start(&Settings { server: server(), ..Settings::default() }).unwrap()
}

/// One answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) version: String,
    pub(crate) status: u16,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn error_code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }
}

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Bytes that came so far.
    pub(crate) received: u64,
}

impl Client {
    pub(crate) async fn to(stub: &Handle) -> Self {
        Self { stream: TcpStream::connect(stub.address()).await.unwrap(), buffer: Vec::new(), received: 0 }
    }

    /// Sends bytes as they are.
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// A request without a body and its answer.
    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"").await
    }

    /// A request and its answer.
    pub(crate) async fn ask(&mut self, method: &str, path: &str, fields: &[(&str, &str)], body: &[u8]) -> Answer {
        self.request(method, path, fields, body).await;
        self.answer(method == "HEAD").await
    }

    /// A request alone.
    pub(crate) async fn request(&mut self, method: &str, path: &str, fields: &[(&str, &str)], body: &[u8]) {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: stub\r\n");
        for (name, value) in fields {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        if !body.is_empty() {
            write!(head, "content-length: {}\r\n", body.len()).unwrap();
        }
        head.push_str("\r\n");
        self.send(&[head.as_bytes(), body].concat()).await;
    }

    /// When the next answer had begun to come, at the latest.
    pub(crate) async fn first_byte(&mut self) -> u64 {
        if self.buffer.is_empty() {
            assert!(self.more().await > 0, "ended before an answer");
        }
        stub_model::clock::monotonic_ns()
    }

    /// The head of the next answer.
    pub(crate) async fn head(&mut self) -> Answer {
        let end = loop {
            if let Some(at) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            assert!(self.more().await > 0, "ended within a head: {:?}", String::from_utf8_lossy(&self.buffer));
        };
        let head = String::from_utf8(self.buffer.drain(..end).collect()).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let (version, rest) = lines.next().unwrap().split_once(' ').unwrap();
        let fields = lines.map(|line| line.split_once(": ").unwrap()).map(|(n, v)| (n.to_owned(), v.to_owned()));
        let (version, status) = (version.to_owned(), rest[..3].parse().unwrap());
        Answer { version, status, fields: fields.collect(), body: Vec::new() }
    }

    /// The next answer. Of a body without a length, what comes until the connection ends.
    pub(crate) async fn answer(&mut self, headless: bool) -> Answer {
        let mut answer = self.head().await;
        if headless || matches!(answer.status, 100..200 | 204 | 304) {
            return answer;
        }
        answer.body = if answer.field("transfer-encoding") == Some("chunked") {
            self.chunks().await
        } else if let Some(length) = answer.field("content-length") {
            let length = length.parse().unwrap();
            self.exactly(length).await
        } else {
            self.rest().await
        };
        answer
    }

    async fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                if let Some(at) = self.buffer.windows(2).position(|window| window == b"\r\n") {
                    break at;
                }
                assert!(self.more().await > 0, "ended within a chunk");
            };
            let line = self.exactly(end + 2).await;
            let size = usize::from_str_radix(std::str::from_utf8(&line[..end]).unwrap(), 16).unwrap();
            body.extend(self.exactly(size).await);
            assert_eq!(self.exactly(2).await, b"\r\n");
            if size == 0 {
                return body;
            }
        }
    }

    /// So many bytes.
    pub(crate) async fn exactly(&mut self, count: usize) -> Vec<u8> {
        while self.buffer.len() < count {
            assert!(self.more().await > 0, "ended after {} of {count} bytes", self.buffer.len());
        }
        self.buffer.drain(..count).collect()
    }

    /// All bytes until the other side closes in order.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        while self.more().await > 0 {}
        std::mem::take(&mut self.buffer)
    }

    /// What ends a connection that answers nothing more.
    pub(crate) async fn end(&mut self) -> std::io::Result<usize> {
        timeout(PATIENCE, self.stream.read(&mut [0; 1024])).await.unwrap()
    }

    async fn more(&mut self) -> usize {
        let count = timeout(PATIENCE, self.stream.read_buf(&mut self.buffer)).await.unwrap().unwrap();
        self.received += count as u64;
        count
    }
}

/// Polls until something is so.
pub(crate) async fn until(mut so: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !so().await {
            sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(PATIENCE, wait).await.unwrap();
}
