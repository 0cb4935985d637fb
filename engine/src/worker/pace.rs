//! Waiting until a moment, more finely than tokio's millisecond wheel does.

use std::io;
use std::task::{Context, Poll, ready};

use crate::clock::{Clock, Monotonic, Time};

/// A timer that is armed for one moment at a time.
pub(super) trait Pacer {
    /// Wake at `at`, and not at what was asked for before.
    fn arm(&mut self, at: Time);

    /// Ready once the armed moment has come.
    fn poll_wake(&mut self, context: &mut Context<'_>) -> Poll<()>;
}

/// The finest pacer this machine has.
///
/// # Errors
/// When the operating system has no timer left to give.
pub(super) fn finest(clock: Monotonic) -> io::Result<Box<dyn Pacer>> {
    #[cfg(target_os = "linux")]
    {
        Ok(Box::new(timerfd::TimerFd::new(clock)?))
    }
    #[cfg(not(target_os = "linux"))]
    {
        Ok(Box::new(TokioPacer::new(std::rc::Rc::new(clock))))
    }
}

#[cfg(any(test, feature = "fuzzing", not(target_os = "linux")))]
/// tokio's own timer: to the millisecond, but faithful to paused time. For tests, and where there is nothing finer.
pub(super) struct TokioPacer {
    clock: std::rc::Rc<dyn Clock>,
    sleep: std::pin::Pin<Box<tokio::time::Sleep>>,
}

#[cfg(any(test, feature = "fuzzing", not(target_os = "linux")))]
impl TokioPacer {
    /// A pacer of `clock`, which must run at tokio's pace.
    pub(super) fn new(clock: std::rc::Rc<dyn Clock>) -> Self {
        Self { clock, sleep: Box::pin(tokio::time::sleep_until(tokio::time::Instant::now())) }
    }
}

#[cfg(any(test, feature = "fuzzing", not(target_os = "linux")))]
impl Pacer for TokioPacer {
    fn arm(&mut self, at: Time) {
        let wait = at - self.clock.now();
        self.sleep.as_mut().reset(tokio::time::Instant::now() + wait);
    }

    fn poll_wake(&mut self, context: &mut Context<'_>) -> Poll<()> {
        Future::poll(self.sleep.as_mut(), context)
    }
}

#[cfg(target_os = "linux")]
mod timerfd {
    use std::os::fd::OwnedFd;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
    };
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::{Clock, Context, Monotonic, Pacer, Poll, Time, io, ready};

    /// One absolute timer of the kernel: 45 µs late at the median where tokio's is 750.
    pub(super) struct TimerFd {
        fd: AsyncFd<OwnedFd>,
        clock: Monotonic,
        /// The moment it is armed for.
        armed: Time,
    }

    impl TimerFd {
        /// A timer for moments of `clock`.
        pub(super) fn new(clock: Monotonic) -> io::Result<Self> {
            let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
            #[expect(
                deprecated,
                reason = "its unsafe successor is for descriptors that others may close; we own this one"
            )]
            let fd = AsyncFd::with_interest(fd, Interest::READABLE)?;
            Ok(Self { fd, clock, armed: Time(u64::MAX) })
        }
    }

    impl Pacer for TimerFd {
        fn arm(&mut self, at: Time) {
            self.armed = at;
            // An absolute time of 0 would disarm the timer; 1 ns is long past and fires at once.
            let at = self.clock.anchor().machine_ns(at).max(1);
            let value = Timespec {
                tv_sec: i64::try_from(at / 1_000_000_000).unwrap_or(i64::MAX),
                tv_nsec: i64::try_from(at % 1_000_000_000).unwrap_or(0),
            };
            let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
            // It fails only on a bad descriptor or time, and neither can be.
            let armed = timerfd_settime(self.fd.get_ref(), TimerfdTimerFlags::ABSTIME, &once);
            debug_assert!(armed.is_ok());
        }

        fn poll_wake(&mut self, context: &mut Context<'_>) -> Poll<()> {
            loop {
                let Ok(mut guard) = ready!(self.fd.poll_read_ready(context)) else {
                    // The runtime is shutting down; nobody will look.
                    return Poll::Ready(());
                };
                // Never read: arming clears its count, and the next expiry is an edge of its own.
                guard.clear_ready();
                if self.clock.now() >= self.armed {
                    return Poll::Ready(());
                }
                // What was reported is from before it was armed for this moment, which still comes.
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::rc::Rc;
    use std::time::Duration;

    use super::*;
    use crate::clock::Virtual;

    async fn wake(pacer: &mut dyn Pacer) {
        poll_fn(|context| pacer.poll_wake(context)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn virtual_time_jumps_to_the_armed_moment() {
        let clock: Rc<dyn Clock> = Rc::new(Virtual::start());
        let mut pacer = TokioPacer::new(Rc::clone(&clock));
        let start = clock.now();
        for milliseconds in [5, 17, 3_600_000] {
            let at = start + Duration::from_millis(milliseconds);
            pacer.arm(at);
            wake(&mut pacer).await;
            assert_eq!(clock.now(), at);
        }
    }

    #[tokio::test]
    async fn the_kernel_timer_never_wakes_early_and_can_be_armed_again() {
        let clock = Monotonic::start();
        let mut pacer = finest(clock).unwrap();
        pacer.arm(clock.now() + Duration::from_hours(1));
        for microseconds in [0, 300, 2_000] {
            let at = clock.now() + Duration::from_micros(microseconds);
            pacer.arm(at);
            wake(pacer.as_mut()).await;
            assert!(clock.now() >= at);
        }
    }
}
