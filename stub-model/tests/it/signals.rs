//! The process and its signals: pausing, and what a journal has when it was interrupted.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use stub_model::journal::{Head, Mark};

use crate::process::{BINARY, Stub, bounded, get, journal, small};

/// SIGUSR1 and SIGUSR2: while it is paused it accepts and reads, answers nothing but what looks at itself, and loses
/// nothing; also an answer that had begun stays where it is.
#[test]
fn a_paused_stub_accepts_and_answers_only_when_it_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let stub = Stub::start(small(&["--journal"]).arg(&path));
    let metric = |line: &str| get(stub.address, "/metrics").contains(line).then_some(());
    let mut begun = TcpStream::connect(stub.address).unwrap();
    begun.write_all(b"GET /fault?kind=drip&ms=10&bytes=300 HTTP/1.1\r\nhost: stub\r\n\r\n").unwrap();
    begun.read_exact(&mut [0; 12]).unwrap();
    stub.signal(Signal::USR1);
    bounded(|| metric("stub_paused 1\n"));
    let mut waiting: Vec<TcpStream> = Vec::new();
    for path in ["/small", "/slow?ms=1", "/fault?kind=reset"] {
        let mut client = TcpStream::connect(stub.address).unwrap();
        client.write_all(format!("GET {path} HTTP/1.1\r\nhost: stub\r\n\r\n").as_bytes()).unwrap();
        waiting.push(client);
    }
    bounded(|| metric("stub_arrivals_total 4\n"));
    // What left before the pause; after it nothing comes for as long as 40 bytes would take.
    waiting.push(begun);
    for client in &waiting {
        client.set_nonblocking(true).unwrap();
    }
    while waiting[3].read(&mut [0; 1024]).is_ok() {}
    std::thread::sleep(Duration::from_millis(400));
    assert!(metric("stub_answered_total 0\n").is_some());
    for client in &mut waiting {
        assert_eq!(client.read(&mut [0; 1]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    }
    stub.signal(Signal::USR2);
    bounded(|| metric("stub_paused 0\n"));
    bounded(|| metric("stub_answered_total 4\n"));
    stub.signal(Signal::TERM);
    assert_eq!(stub.end(), (Some(0), String::new()));
    let (_, mut entries, _) = journal(&path);
    entries.sort_by_key(|entry| entry.sequence);
    let told: Vec<(Option<u16>, bool, String)> = entries
        .iter()
        .map(|entry| (entry.status, entry.complete, serde_json::to_string(&entry.faults).unwrap()))
        .collect();
    let expected = [
        (Some(200), true, r#"["pause","drip"]"#),
        (Some(200), true, r#"["pause"]"#),
        (Some(200), true, r#"["pause"]"#),
        (None, false, r#"["pause","reset"]"#),
    ];
    assert_eq!(told, expected.map(|(status, complete, faults)| (status, complete, faults.to_owned())));
    assert!(entries[1..].iter().all(|entry| entry.finished_ns.unwrap() - entry.arrived_ns > 300_000_000));
}

/// Ctrl-C in the middle of everything: each request that arrived has its line, and the last line says that there are no
/// more.
#[test]
fn nothing_is_lost_on_an_interrupt_under_load() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let stub = Stub::start(small(&["--reset-share", "0.01", "--journal"]).arg(&path));
    let address = stub.address;
    let work = move |client: usize| {
        let mut answered = 0_usize;
        'connections: loop {
            let Ok(mut stream) = TcpStream::connect(address) else { return answered };
            for k in 0.. {
                let request =
                    format!("GET /small HTTP/1.1\r\nhost: stub\r\nx-request-id: {client}-{answered}-{k}\r\n\r\n");
                let mut answer = [0; 1024];
                match stream.write_all(request.as_bytes()).and_then(|()| stream.read(&mut answer)) {
                    Ok(count) if count > 0 => answered += 1,
                    _ => continue 'connections,
                }
            }
        }
    };
    let clients: Vec<_> = (0..8).map(|client| std::thread::spawn(move || work(client))).collect();
    bounded(|| get(address, "/metrics").contains("{path=\"/small\",status=\"none\"}").then_some(()));
    stub.signal(Signal::INT);
    assert_eq!(stub.end(), (Some(0), String::new()));
    let answered: usize = clients.into_iter().map(|client| client.join().unwrap()).sum();
    let (_, entries, sums) = journal(&path);
    assert_eq!((sums.arrivals, sums.written, sums.lost), (entries.len() as u64, entries.len() as u64, 0));
    assert_eq!(entries.iter().filter(|entry| entry.complete).count(), answered);
    let mut sequences: Vec<u64> = entries.iter().map(|entry| entry.sequence).collect();
    sequences.sort_unstable();
    assert!((0..).zip(sequences).all(|(expected, sequence)| expected == sequence));
}

#[test]
fn each_start_on_the_same_file_begins_with_a_line_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    for which in ["small", "model", "platform"] {
        let mut command = Command::new(BINARY);
        let stub = Stub::start(command.args([which, "--listen", "127.0.0.1:0", "--journal"]).arg(&path));
        get(stub.address, "/nowhere");
        stub.signal(Signal::TERM);
        assert_eq!(stub.end().0, Some(0));
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let heads: Vec<Head> = text
        .lines()
        .filter_map(|line| match serde_json::from_str(line) {
            Ok(Mark::Journal(head)) => Some(head),
            _ => None,
        })
        .collect();
    assert_eq!(heads.iter().map(|head| head.stub.as_ref()).collect::<Vec<_>>(), ["small", "model", "platform"]);
    assert_eq!(text.lines().filter(|line| line.contains("\"status\":404")).count(), 3);
    assert!(heads.iter().all(|head| head.boot_id == heads[0].boot_id));
}
