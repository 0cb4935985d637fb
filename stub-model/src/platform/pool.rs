//! The connection pool in front of the platform's (absent) database, with the rules of `SQLAlchemy`'s `QueuePool`: so
//! many connections at most, who waits is served in turn, and who waits too long gets none.

use std::rc::Rc;
use std::time::Duration;

use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep, timeout};

use crate::metrics::platform::PlatformMetrics;

/// How large a pool is.
#[derive(Debug, Clone)]
pub struct PoolSettings {
    /// Connections that are kept. 5 unless set.
    pub size: u32,
    /// Connections that are opened beyond those at most. 10 unless set; both together are 1 at least.
    pub overflow: u32,
    /// The longest wait for a connection. 30 s unless set.
    pub timeout: Duration,
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self { size: 5, overflow: 10, timeout: Duration::from_secs(30) }
    }
}

/// Nobody gave a connection back in time. The text is that of `SQLAlchemy`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("QueuePool limit of size {size} overflow {overflow} reached, connection timed out, timeout {:.2}", timeout.as_secs_f64())]
pub struct PoolTimeout {
    size: u32,
    overflow: u32,
    timeout: Duration,
}

/// The pool.
#[derive(Debug)]
pub(super) struct Pool {
    settings: PoolSettings,
    connections: Semaphore,
    metrics: Rc<PlatformMetrics>,
}

impl Pool {
    /// A pool with all connections free.
    pub(super) fn new(settings: PoolSettings, metrics: Rc<PlatformMetrics>) -> Self {
        let most = u64::from(settings.size) + u64::from(settings.overflow);
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
        Self { settings, connections: Semaphore::new(most), metrics }
    }

    /// A connection, to be kept until it is dropped.
    pub(super) async fn connection(&self) -> Result<Connection<'_>, PoolTimeout> {
        // A permit that is given back goes to who waits, so that nobody overtakes here.
        if let Ok(permit) = self.connections.try_acquire() {
            return Ok(self.given(permit));
        }
        let wait = Wait::new(&self.metrics);
        if let Ok(Ok(permit)) = timeout(self.settings.timeout, self.connections.acquire()).await {
            wait.ended(false);
            return Ok(self.given(permit));
        }
        wait.ended(true);
        let PoolSettings { size, overflow, timeout } = self.settings;
        Err(PoolTimeout { size, overflow, timeout })
    }

    /// Takes a connection, keeps it for a while and gives it back.
    pub(super) async fn briefly(&self, hold: Duration) -> Result<(), PoolTimeout> {
        let _connection = self.connection().await?;
        sleep(hold).await;
        Ok(())
    }

    fn given<'a>(&'a self, permit: SemaphorePermit<'a>) -> Connection<'a> {
        Connection { _counted: Counted::new(&self.metrics.pool_in_use), _permit: permit }
    }
}

/// A connection in use; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Connection<'a> {
    _counted: Counted,
    _permit: SemaphorePermit<'a>,
}

/// A wait; one that is given up, because its client left, is no more than not waiting any longer.
struct Wait<'a> {
    since: Instant,
    metrics: &'a PlatformMetrics,
    _counted: Counted,
}

impl<'a> Wait<'a> {
    fn new(metrics: &'a PlatformMetrics) -> Self {
        Self { since: Instant::now(), metrics, _counted: Counted::new(&metrics.pool_waiting) }
    }

    fn ended(self, timed_out: bool) {
        self.metrics.waited(self.since.elapsed(), timed_out);
    }
}

/// Counts in a gauge while it lives.
#[derive(Debug)]
struct Counted(Gauge);

impl Counted {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Metrics;
    use std::cell::RefCell;
    use tokio::task::{LocalSet, spawn_local};

    fn pool(size: u32, overflow: u32, timeout_ms: u64) -> (Rc<Pool>, Metrics) {
        let mut metrics = Metrics::default();
        let own = PlatformMetrics::register(metrics.registry(), size, overflow);
        let settings = PoolSettings { size, overflow, timeout: Duration::from_millis(timeout_ms) };
        (Rc::new(Pool::new(settings, own)), metrics)
    }

    fn assert_shown(metrics: &Metrics, lines: &[&str]) {
        let text = metrics.text().unwrap();
        for line in lines {
            assert!(text.lines().any(|shown| shown == *line), "{line} is not in\n{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn size_and_overflow_are_given_and_no_more() {
        let (pool, metrics) = pool(2, 1, 1_000);
        let held =
            [pool.connection().await.unwrap(), pool.connection().await.unwrap(), pool.connection().await.unwrap()];
        let before = Instant::now();
        let error = pool.connection().await.unwrap_err();
        let text = "QueuePool limit of size 2 overflow 1 reached, connection timed out, timeout 1.00";
        assert_eq!((error.to_string().as_str(), before.elapsed().as_millis()), (text, 1_000));
        assert_shown(
            &metrics,
            &[
                "stub_platform_pool_in_use 3",
                "stub_platform_pool_size 2",
                "stub_platform_pool_overflow 1",
                "stub_platform_pool_waiting 0",
                "stub_platform_pool_waits_total 1",
                "stub_platform_pool_wait_seconds_total 1.0",
                "stub_platform_pool_timeouts_total 1",
            ],
        );
        drop(held);
        pool.briefly(Duration::from_millis(5)).await.unwrap();
        assert_shown(&metrics, &["stub_platform_pool_in_use 0", "stub_platform_pool_waits_total 1"]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_is_served_in_turn_and_nobody_overtakes() {
        let (pool, metrics) = pool(1, 0, 1_000);
        let order = Rc::new(RefCell::new(Vec::new()));
        let work = async {
            let tasks = (0..5).map(|number| {
                let (pool, order) = (Rc::clone(&pool), Rc::clone(&order));
                spawn_local(async move {
                    pool.briefly(Duration::from_millis(10)).await.unwrap();
                    order.borrow_mut().push(number);
                    // Comes again at once, behind those who wait.
                    pool.briefly(Duration::from_millis(10)).await.unwrap();
                    order.borrow_mut().push(number + 10);
                })
            });
            for task in tasks.collect::<Vec<_>>() {
                task.await.unwrap();
            }
        };
        LocalSet::new().run_until(work).await;
        assert_eq!(*order.borrow(), [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]);
        assert_shown(&metrics, &["stub_platform_pool_timeouts_total 0", "stub_platform_pool_waits_total 9"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_given_up_leaves_no_trace() {
        let (pool, metrics) = pool(1, 0, 1_000);
        let held = pool.connection().await.unwrap();
        timeout(Duration::from_millis(50), pool.connection()).await.unwrap_err();
        assert_shown(&metrics, &["stub_platform_pool_waiting 0", "stub_platform_pool_waits_total 0"]);
        drop(held);
        assert!(pool.connection().await.is_ok());
    }

    /// What the pool experiment is about: as many as there are connections keep one each and all want a second.
    #[tokio::test(start_paused = true)]
    async fn a_second_connection_while_one_is_kept_can_block_all_until_the_time_out() {
        let (pool, metrics) = pool(2, 1, 30_000);
        let work = async {
            let runs = (0..3).map(|_| {
                let pool = Rc::clone(&pool);
                spawn_local(async move {
                    let _kept = pool.connection().await?;
                    sleep(Duration::from_secs(1)).await;
                    pool.briefly(Duration::from_millis(5)).await
                })
            });
            let mut failed = 0;
            for run in runs.collect::<Vec<_>>() {
                failed += u32::from(run.await.unwrap().is_err());
            }
            failed
        };
        // All three waits end at the same moment; what one gives back then comes too late for the others.
        assert!((1..=3).contains(&LocalSet::new().run_until(work).await));
        assert_shown(&metrics, &["stub_platform_pool_in_use 0", "stub_platform_pool_waiting 0"]);
    }
}
