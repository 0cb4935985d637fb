//! Workers are ready before their schedule begins.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use super::{MS, SECOND, constant, gets};
use crate::client::tests::kit::{OK, Peer, listen, on_sockets, settings};
use crate::clock::{Clock, Monotonic, Time};
use crate::record::{Layout, Span};
use crate::schedule::{Mix, Schedule, Weight, Whole};
use crate::worker::{Control, Crew, Settings, metrics_of};

const WORKERS: usize = 2;
/// Connections that each of them opens beforehand.
const WARM: usize = 3;

/// Case S8: the start was declared while the client was still getting ready, so the first request was late by seconds.
#[test]
fn plugins_are_configured_and_connections_open_before_the_schedule_begins() {
    on_sockets(async {
        let (opened, asked) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let (opens, asks) = (Rc::clone(&opened), Rc::clone(&asked));
        let address = listen("127.0.0.1:0", move |_, mut peer: Peer<tokio::net::TcpStream>| {
            let (opened, asked) = (Rc::clone(&opens), Rc::clone(&asks));
            async move {
                opened.set(opened.get() + 1);
                while !peer.request().await.is_empty() {
                    asked.set(asked.get() + 1);
                    peer.send(OK).await;
                }
            }
        })
        .await;
        // Few enough for the connections that are there, however slow this machine is.
        let length = 100 * MS;
        let weight = Weight::new(1.0).expect("a share");
        let mix = Mix::new(&[weight]).expect("a mix");
        let schedule = Schedule::new(&[constant(40.0, length)], mix, &Whole::default()).expect("a schedule");
        let workload = gets();
        let layout = Layout {
            t0: Time(0),
            workloads: vec![metrics_of(&workload.plugin)],
            phases: vec![Span { start: 0, end: schedule.length_ns() }],
            plugins: 1,
        };
        let client = Arc::new(settings(&format!("http://{address}")));
        let clock = Monotonic::start();
        let control = Arc::new(Control::new(WORKERS));
        let (notices, _heard) = mpsc::channel();
        let crew = Settings {
            workers: WORKERS,
            workloads: vec![workload],
            phases: Arc::from(["load".to_owned()]),
            schedule: Arc::new(schedule),
            seed: 1,
            layout,
            clients: vec![client; WORKERS],
            in_flight: 100,
            // Whatever this machine does: none is missed.
            tolerance: 50 * SECOND,
            wake_gap: Duration::ZERO,
            drain: 50 * SECOND,
            shared: None,
            warm_connections: WARM,
            books: None,
        };
        let mut crew = Crew::assemble(crew, clock, &control, &notices).await.expect("they get ready");
        while opened.get() < WORKERS * WARM {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(asked.get(), 0, "nothing is asked before the start");
        let ready = clock.now();
        let (t0, _) = crew.start();
        assert!(t0 > ready, "the schedule begins when all are ready");
        crew.ended().await;
        let done = crew.gather().expect("they have run");
        let (mut ok, mut connects, mut reused) = (0, 0, 0);
        for done in &done {
            let all = done.recorder.all();
            assert_eq!(done.recorder.layout().t0, t0);
            ok += all.counts().ok;
            connects += all.traffic().connects;
            reused += all.traffic().reused;
        }
        assert_eq!((ok, asked.get()), (4, 4));
        assert_eq!((connects, reused), (0, 4), "no arrival had to open a connection");
    });
}
