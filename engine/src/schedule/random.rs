//! Arrivals at random: a Poisson process whose rate is that of a profile.
//!
//! Seen along the integral of its rate instead of along time, any such process is one of constant rate. So the integral of
//! the phase is cut into cells of equal size; the count of each is drawn from a seed of its own, and a number of independent
//! even draws, sorted, says where in it the arrivals are. Given their number, arrivals of a Poisson process are just that
//! (J. F. C. Kingman, "Poisson Processes", 1993, sections 2.4 and 4.5). The path then says at what time the integral is
//! there.
//!
//! Only the number of arrivals before each cell is held; what is in a cell is made when a walk enters it. The seeds depend
//! on the run's seed, the position of the phase and that of the cell: neither workers nor machines change anything. There is
//! nothing but integers here.

use super::arrival_seed;
use super::poisson::Poisson;
use super::profile::Path;
use super::rate::{Area, ONE_ARRIVAL};
use super::wide::Wide;

/// How many arrivals a cell has on average, as long as there are not too many cells.
const PER_CELL: u64 = 64;

/// The most cells of a phase, 8 bytes each. Beyond 16.8 million arrivals the cells grow.
const MOST_CELLS: u64 = 1 << 18;

/// Keeps these seeds apart from those of arrivals: the first 16 digits of π in base 16.
const APART: u64 = 0x3243_F6A8_885A_308D;

/// The random arrivals of one phase.
#[derive(Clone, Debug)]
pub(super) struct Random {
    /// The integral of the rate over the phase: the mean number of its arrivals.
    area: Area,
    /// How many arrivals of the phase come before the end of each cell.
    ends: Box<[u64]>,
    /// Seeds the cells.
    seed: u64,
}

impl Random {
    /// The arrivals of the phase at this position along this path; `None` where more than 2³⁸ would be expected.
    pub(super) fn new(path: &Path, run_seed: u64, phase: u64) -> Option<Self> {
        let area = path.area();
        let seed = arrival_seed(run_seed ^ APART, phase);
        let wanted = u64::try_from(area.div_ceil(ONE_ARRIVAL * Area::from(PER_CELL))).ok()?;
        let cells = wanted.min(MOST_CELLS);
        let Some(mean) = area.checked_div(Area::from(cells)) else {
            return Some(Self { area, ends: Box::default(), seed });
        };
        if mean > Area::from(Poisson::HIGHEST_MEAN) * ONE_ARRIVAL {
            return None;
        }
        let counts = Poisson::new(mean);
        let mut before = 0;
        let end = |cell| {
            before += counts.count(arrival_seed(arrival_seed(seed, cell), 0));
            before
        };
        Some(Self { area, ends: (0..cells).map(end).collect(), seed })
    }

    /// How many arrivals there are.
    pub(super) fn count(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// How many cells are held.
    pub(super) fn cells(&self) -> usize {
        self.ends.len()
    }

    /// The integral at arrival `index` of the phase, from 0, below [`Random::count`]. Makes the whole cell of the arrival
    /// where `window` holds another.
    pub(super) fn area_at(&self, index: u64, phase: u16, window: &mut Window) -> Area {
        if window.phase != Some(phase) || !(window.first..window.end).contains(&index) {
            self.enter(index, phase, window);
        }
        let within = usize::try_from(index - window.first).ok().and_then(|at| window.draws.get(at));
        let draw = within.copied().unwrap_or(0);
        let width = window.area_end - window.area_start;
        window.area_start + (Wide::product(width, u128::from(draw)).upper())
    }

    /// Makes the cell in which arrival `index` is.
    #[cold]
    fn enter(&self, index: u64, phase: u16, window: &mut Window) {
        let cell = self.ends.partition_point(|&end| end <= index);
        let before = |cell: usize| cell.checked_sub(1).and_then(|at| self.ends.get(at)).copied().unwrap_or(0);
        let bound = |cell: usize| self.area * cell as Area / self.ends.len().max(1) as Area;
        window.phase = Some(phase);
        (window.first, window.end) = (before(cell), before(cell + 1));
        (window.area_start, window.area_end) = (bound(cell), bound(cell + 1));
        let seed = arrival_seed(self.seed, cell as u64);
        window.draws.clear();
        // Draw 0 was the count.
        window.draws.extend((1..=window.end - window.first).map(|draw| arrival_seed(seed, draw)));
        window.draws.sort_unstable();
    }
}

/// The cell in which a walk stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// The phase of the cell; none as long as there is no cell.
    phase: Option<u16>,
    /// Its first arrival, counted within the phase.
    first: u64,
    /// The first arrival after it.
    end: u64,
    area_start: Area,
    area_end: Area,
    /// Where its arrivals are, in 2⁻⁶⁴ of the cell, sorted.
    draws: Vec<u64>,
}
