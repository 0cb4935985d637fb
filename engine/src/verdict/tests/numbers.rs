//! Figures for people.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::{Quantity, grouped, percent, significant};

#[test]
fn figures_have_three_significant_digits_or_as_many_as_their_whole_part() {
    let cases = [
        (0.0, "0"),
        (0.000_123_4, "0.000123"),
        (0.045, "0.0450"),
        (1.0, "1.00"),
        (1.239, "1.24"),
        (12.34, "12.3"),
        (123.4, "123"),
        (1_234.5, "1,234"),
        (34_700.0, "34,700"),
        (-5.0, "-5.00"),
        (1e9, "1,000,000,000"),
        (f64::NAN, "n/a"),
    ];
    for (value, text) in cases {
        assert_eq!(significant(value), text);
    }
    assert_eq!(percent(0.051_23), "5.12 %");
    assert_eq!(grouped(3_688), "3,688");
    assert_eq!(grouped(999), "999");
}

#[test]
fn limits_are_shown_as_they_were_set() {
    assert_eq!(Quantity::share(0.001).plain(), "0.1 %");
    assert_eq!(Quantity::share(0.07).plain(), "7 %");
    assert_eq!(Quantity::ms(1_500.0).plain(), "1,500 ms");
    assert_eq!(Quantity::count(0).to_string(), "0");
    assert_eq!(Quantity::ns(161_234.0).to_string(), "0.161 ms");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4_096,
        rng_seed: RngSeed::Fixed(20_261_130),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Case N12: rounded to two figures.
    #[test]
    fn no_figure_is_rounded_to_fewer_than_three_digits(exponent in -6_i32..12, mantissa in 1.0_f64..10.0) {
        let value = mantissa * 10_f64.powi(exponent);
        let text = significant(value);
        let digits = text.trim_start_matches(['0', '.', ',']).chars().filter(char::is_ascii_digit).count();
        prop_assert!(digits >= 3, "{} for {}", text, value);
        // Half a unit of the third digit, and nothing of the whole part.
        let shown: f64 = text.replace(',', "").parse().expect("a number");
        let unit = 10_f64.powi(exponent - 2).min(1.0);
        prop_assert!((shown - value).abs() <= unit * 0.500_001, "{} for {}", text, value);
    }
}
