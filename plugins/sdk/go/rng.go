package engine

import "math/bits"

// Rng is a small generator seeded by the arrival, so that two runs with one seed send the same bytes.
//
// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014), the same sequence as that of
// the SDKs of other languages. Not for secrets.
type Rng struct{ state uint64 }

// NewRng gives a generator of its own sequence for this seed.
func NewRng(seed uint64) *Rng { return &Rng{seed} }

// Uint64 gives the next 64 random bits.
func (r *Rng) Uint64() uint64 {
	r.state += 0x9E3779B97F4A7C15
	z := r.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Below gives a number from 0 to below bound; 0 where bound is 0. By multiplication (Lemire, 2019) without its rejection
// step: the bias is below bound ÷ 2⁶⁴.
func (r *Rng) Below(bound uint64) uint64 {
	high, _ := bits.Mul64(r.Uint64(), bound)
	return high
}

// Unit gives a number from 0 to below 1, in steps of 2⁻⁵³.
func (r *Rng) Unit() float64 { return float64(r.Uint64()>>11) / (1 << 53) }

// Chance is true with this probability, 0 to 1.
func (r *Rng) Chance(probability float64) bool { return r.Unit() < probability }

// Pick gives one of these; false of nothing.
func Pick[T any](r *Rng, from []T) (picked T, ok bool) {
	index := r.Below(uint64(len(from)))
	if len(from) == 0 {
		return picked, false
	}
	return from[index], true
}
