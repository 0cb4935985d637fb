//! Integers of 256 bits, as far as the area under a line needs them.

/// A number of 256 bits: `high` × 2¹²⁸ + `low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wide {
    pub(super) high: u128,
    pub(super) low: u128,
}

impl Wide {
    /// Roots are taken of numbers below 2 to this power.
    pub(super) const ROOT_BITS: u32 = 192;

    /// a × b, which always fits.
    #[inline]
    pub(super) fn product(a: u128, b: u128) -> Self {
        let (low, high) = a.carrying_mul(b, 0);
        Self { high, low }
    }

    /// The sum, for sums below 2²⁵⁶.
    #[inline]
    pub(super) fn plus(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        Self { high: self.high + other.high + u128::from(carry), low }
    }

    /// The difference, for an `other` that is not above it.
    #[inline]
    pub(super) fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Self { high: self.high - other.high - u128::from(borrow), low }
    }

    /// ⌊self ÷ 2⁶⁴⌋, for numbers below 2¹⁹².
    #[inline]
    pub(super) fn upper(self) -> u128 {
        self.high << 64 | self.low >> 64
    }

    /// ⌊√self⌋, for numbers below 2¹⁹².
    ///
    /// After P. Zimmermann, "Karatsuba Square Root" (INRIA, 1999), one step: the root of the upper 128 bits gives 64 bits
    /// of the result, one division the other 32, at most one too many.
    #[inline]
    pub(super) fn root(self) -> u128 {
        if self.high == 0 {
            return self.low.isqrt();
        }
        // Shifted by an even number of places until it begins at bit 191 or 190, as the step wants it.
        let shift = (self.high.leading_zeros() - 64) & !1;
        let shifted = if shift == 0 {
            self
        } else {
            Self { high: self.high << shift | self.low >> (128 - shift), low: self.low << shift }
        };
        let upper = shifted.upper();
        let (third, last) = ((shifted.low >> 32) & 0xFFFF_FFFF, shifted.low & 0xFFFF_FFFF);
        let first = upper.isqrt();
        let dividend = (upper - first * first) << 32 | third;
        let (next, rest) = (dividend / (2 * first), dividend % (2 * first));
        let root = (first << 32) + next;
        let one_too_many = (rest << 32) + last < next * next;
        (root - u128::from(one_too_many)) >> (shift / 2)
    }

    /// ⌈√self⌉, for numbers below 2¹⁹².
    #[inline]
    pub(super) fn root_up(self) -> u128 {
        if self == (Self { high: 0, low: 0 }) {
            return 0;
        }
        self.minus(Self { high: 0, low: 1 }).root() + 1
    }
}
