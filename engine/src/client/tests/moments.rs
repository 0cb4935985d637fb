//! What the clock is stopped by.

use std::io::Read;
use std::rc::Rc;
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzEncoder;
use tokio::io::AsyncReadExt;

use super::kit::{Memory, Peer, World, on_virtual_time, settings};
use crate::client::ReadMode;
use crate::clock::{Clock, Time, thread_cpu};

const MS: Duration = Duration::from_millis(1);

/// Case N6: times of sending and receiving below 0, where an answer came before the upload was over.
#[test]
fn an_answer_amid_the_upload_ends_its_exchange_after_it_was_asked_and_sent() {
    // The peer takes a little of the body each millisecond; the whole would take ten seconds.
    let network = Memory::new(|_, mut peer: Peer| async move {
        let mut taken = [0; 1_000];
        for millisecond in 0.. {
            tokio::time::sleep(MS).await;
            if peer.0.read_exact(&mut taken).await.is_err() {
                return;
            }
            if millisecond == 249 {
                peer.send("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nn").await;
            }
            if millisecond == 499 {
                peer.send("o").await;
            }
        }
    });
    on_virtual_time(async {
        let world = World::new(&network);
        tokio::time::sleep(7 * MS).await;
        let mut request = world.get("/");
        "POST".clone_into(&mut request.method);
        request.body = vec![b'x'; 10_000_000].into();
        let asked = request.asked;
        let end = world.ask(request).await;
        assert_eq!(end.text(), "413 no");
        let timings = &end.timings;
        assert!(timings.bytes_sent < 1_000_000, "far from uploaded: {}", timings.bytes_sent);
        assert_eq!((timings.asked, timings.sent), (asked, Some(asked)));
        assert_eq!((timings.first_byte, timings.end), (Some(asked + 250 * MS), asked + 500 * MS));
        assert_eq!(timings.response_time(), 500 * MS);
        assert_eq!((timings.service_time(), timings.connection_wait()), (Some(500 * MS), Some(Duration::ZERO)));
    });
}

/// A clock that runs while this thread works, and stands still while others have the core.
struct Working;

impl Clock for Working {
    fn now(&self) -> Time {
        Time::default() + thread_cpu()
    }
}

/// Case N7: unpacking was within the latency.
#[test]
fn unpacking_is_not_within_the_times_of_an_exchange() {
    // 48 MB, in 47 KB on the wire: what there is to do is to unpack.
    const SIZE: u32 = 48_000_000;
    let mut packed = Vec::new();
    GzEncoder::new(std::io::repeat(b'x').take(SIZE.into()), Compression::best())
        .read_to_end(&mut packed)
        .expect("in memory");
    let length = packed.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {length}\r\n\r\n");
    let answer: Rc<[u8]> = [head.as_bytes(), &packed].concat().into();
    let network = Memory::new(move |_, mut peer: Peer| {
        let answer = Rc::clone(&answer);
        async move {
            peer.request().await;
            peer.send(&answer).await;
            peer.closed().await;
        }
    });
    on_virtual_time(async {
        let world = World::on_clock(&network, settings("http://test"), Rc::new(Working));
        let mut request = world.get("/");
        request.read = ReadMode::Whole(SIZE);
        let end = world.ask(request).await;
        let handed_over = world.now();
        assert_eq!((end.status, end.body.len()), (Some(200), SIZE as usize));
        let (timed, untimed) = (end.timings.response_time(), handed_over - end.timings.end);
        assert!(timed * 4 < untimed, "{timed:?} on the wire, {untimed:?} after it");
    });
}
