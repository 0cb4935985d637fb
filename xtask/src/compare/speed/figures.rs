//! What is computed of the readings.

/// The median: of an even number, the mean of the middle two.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[half]),
        _ => Some(f64::midpoint(sorted[half - 1], sorted[half])),
    }
}

/// The least and the most.
pub(super) fn ends(values: &[f64]) -> (Option<f64>, Option<f64>) {
    (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max))
}

/// What a run cost: so much of something for so many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    pub(super) used: f64,
    pub(super) count: u64,
}

/// What one more costs, from a short and a long run of the same: whatever both pay once, as at the start, is in neither.
/// None where the long one did not do more.
pub(super) fn marginal(short: Cost, long: Cost) -> Option<f64> {
    let more = long.count.checked_sub(short.count).filter(|more| *more > 0)?;
    Some((long.used - short.used) / more as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
    }

    #[test]
    fn what_is_paid_once_is_not_in_the_cost_of_one_more() {
        let run = |count| Cost { used: 5_000.0 + 7.0 * count as f64, count };
        assert_eq!(marginal(run(1_000), run(3_000)), Some(7.0));
        assert_eq!(marginal(run(1_000), run(1_000)), None);
        assert_eq!(marginal(run(2_000), run(1_000)), None);
    }
}
