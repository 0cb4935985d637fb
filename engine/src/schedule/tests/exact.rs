//! That roots and the moments they give are exact, at any size that is let through.

use proptest::prelude::*;

use super::super::profile::Line;
use super::super::wide::Wide;
use super::*;

/// a × b by long multiplication with digits of 32 bits: the upper and the lower half.
fn long_multiplication(a: u128, b: u128) -> (u128, u128) {
    let digit = |number: u128, at: usize| u64::try_from((number >> (32 * at)) & 0xFFFF_FFFF).expect("32 bits");
    let mut digits = [0_u64; 8];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 {
            let sum = digits[i + j] + digit(a, i) * digit(b, j) + carry;
            (digits[i + j], carry) = (sum & 0xFFFF_FFFF, sum >> 32);
        }
        digits[i + 4] = carry;
    }
    let half = |digits: &[u64]| digits.iter().rev().fold(0, |number, &digit| number << 32 | u128::from(digit));
    (half(&digits[4..]), half(&digits[..4]))
}

fn is_root_of(root: u128, square: Wide) -> bool {
    Wide::product(root, root) <= square && square < Wide::product(root + 1, root + 1)
}

#[test]
fn roots_of_squares_and_of_their_neighbours() {
    let one = Wide::product(1, 1);
    for bits in 1..96 {
        for root in [1_u128 << bits, (1 << bits) + 1, (1 << (bits + 1)) - 1] {
            let square = Wide::product(root, root);
            assert_eq!((square.root(), square.root_up()), (root, root));
            assert_eq!((square.minus(one).root(), square.minus(one).root_up()), (root - 1, root));
            if root < (1 << 96) - 1 {
                assert_eq!((square.plus(one).root(), square.plus(one).root_up()), (root, root + 1));
            }
        }
    }
    let highest = Wide::product(1 << 96, 1 << 96).minus(one);
    assert_eq!(highest.root(), (1 << 96) - 1);
    assert_eq!((Wide::product(0, 0).root(), Wide::product(0, 0).root_up()), (0, 0));
}

/// 2fLx ± dx²: the integral of the line from its start over `x` nanoseconds, times its length.
fn integral(line: &Line, x: u64) -> Wide {
    let (from, to) = (u128::from(line.from.millionths()), u128::from(line.to.millionths()));
    let (length, x) = (u128::from(line.length_ns), u128::from(x));
    let level = 2 * from * length;
    Wide::product(x, if to >= from { level + (to - from) * x } else { level - (from - to) * x })
}

/// Whether `x` is the last nanosecond at whose begin the integral is at most `area`.
fn is_reached(line: &Line, area: u128, x: u64) -> bool {
    let wanted = Wide::product(area, u128::from(line.length_ns));
    x < line.length_ns && integral(line, x) <= wanted && wanted < integral(line, x + 1)
}

fn line(from: u64, to: u64, length_ns: u64) -> Line {
    let rate = |millionths| Rate::from_millionths(millionths).expect("not too high");
    Line { start_ns: 0, length_ns, from: rate(from), to: rate(to) }
}

#[test]
fn a_month_at_the_highest_rates_is_solved_to_the_nanosecond() {
    const MONTH: u64 = 30 * 24 * 3_600 * SECOND;
    let highest = Rate::HIGHEST.millionths();
    for (from, to) in [(0, highest), (highest, 0), (highest - 1, highest), (highest, highest - 1), (1, 2), (2, 1)] {
        let line = line(from, to, MONTH);
        assert!(line.can_be_solved());
        let whole = line.area();
        for area in [0, 1, whole / 3, whole / 2, whole - whole / 1_000_003, whole - 1] {
            assert!(is_reached(&line, area, line.reached(area)), "{area} of {line:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn products_are_those_of_long_multiplication(a: u128, b: u128) {
        let (high, low) = long_multiplication(a, b);
        let product = Wide::product(a, b);
        prop_assert_eq!(product, Wide { high, low });
        prop_assert_eq!(product.minus(Wide::product(a, b >> 1)), Wide::product(a, b - (b >> 1)));
    }

    #[test]
    fn roots_are_rounded_down_or_up(a in any::<u128>(), b in any::<u64>(), shift in 0..192_u32) {
        let number = Wide::product(a >> shift.min(127), u128::from(b >> shift.saturating_sub(127).min(63)));
        let root = number.root();
        prop_assert!(is_root_of(root, number));
        prop_assert_eq!(number.root_up(), if Wide::product(root, root) == number { root } else { root + 1 });
    }

    #[test]
    fn small_roots_are_those_of_the_standard_library(number: u64) {
        let square = Wide::product(u128::from(number), u128::from(number)).plus(Wide::product(u128::from(number), 1));
        prop_assert_eq!(square.root(), (u128::from(number) * (u128::from(number) + 1)).isqrt());
    }

    #[test]
    fn reached_is_the_inverse_of_the_integral(
        from_bits in 0..38_u32, to_bits in 0..38_u32, from: u64, to: u64, length in 1..2_600_000_000_000_000_u64,
        shift in 0..50_u32, part: u64,
    ) {
        let highest = Rate::HIGHEST.millionths();
        let cut = |number: u64, bits: u32| (number & ((1 << bits) - 1)).min(highest);
        let line = line(cut(from, from_bits), cut(to, to_bits), (length >> shift).max(1));
        prop_assume!(line.area() > 0);
        // An area below that of the whole line.
        let area = Wide::product(line.area(), u128::from(part)).upper();
        for area in [0, area, area + 1, line.area() - 1] {
            let area = area.min(line.area() - 1);
            prop_assert!(is_reached(&line, area, line.reached(area)), "{} of {:?}", area, line);
        }
    }
}
