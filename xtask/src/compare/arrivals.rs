//! How far arrivals are from an even schedule, seen from the target.

/// How far each arrival is from the even schedule of this rate that fits them best, in nanoseconds, sorted.
///
/// The schedule's start is not known to the target: it is put where the middle one of the arrivals is on time. A tool that
/// is late by the same time with each of them is therefore not told from one that is on time; one that bunches is.
pub(super) fn off(arrived: &[u64], rate: u32) -> Vec<f64> {
    let mut sorted = arrived.to_vec();
    sorted.sort_unstable();
    let Some(&first) = sorted.first() else { return Vec::new() };
    let apart = 1e9 / f64::from(rate);
    let late: Vec<f64> = (0_u32..).zip(&sorted).map(|(k, &at)| (at - first) as f64 - f64::from(k) * apart).collect();
    let mut order = late.clone();
    order.sort_by(f64::total_cmp);
    let middle = order[order.len() / 2];
    let mut off: Vec<f64> = late.into_iter().map(|late| (late - middle).abs()).collect();
    off.sort_by(f64::total_cmp);
    off
}

/// The nearest-rank quantile of sorted values.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank of values that are in memory")]
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_even_schedule_is_off_by_nothing_and_bunches_are_seen() {
        let even: Vec<u64> = (0..1_000).map(|k| 7_000_000 + k * 1_000_000).collect();
        assert_eq!(quantile(&off(&even, 1_000), 1.0), Some(0.0));
        // Ten at a time, every 10 ms: up to 5 ms off.
        let bunched: Vec<u64> = (0..1_000).map(|k| k / 10 * 10_000_000).collect();
        let off = off(&bunched, 1_000);
        let most = quantile(&off, 1.0).unwrap();
        assert!((4e6..=5e6).contains(&most), "{most}");
    }
}
