//! The check that an instance does not grow with the iterations it has had.

use crate::author::play::{MOST_EVENTS, Target, Way};
use crate::author::rehearsal::Rehearsal;

use super::bench::Bench;
use super::course::{Path, mishaps};
use super::{Check, Subject};

/// Iterations after which an instance has what it needs.
const WARM: u64 = 100;
/// Iterations after which it must not have grown.
const FEW: u64 = 500;
/// Where it has, iterations after which it is seen whether it goes on.
const MANY: u64 = 3_000;
/// Every so many iterations one is given up midway, as those that the engine cuts off.
const CUT_OFF: u64 = 7;

/// Memory after many iterations, ended in all ways there are, is what it was after the first hundred.
pub(super) fn frees(bench: &mut Bench<'_>, paths: &[Path]) -> Check {
    const NAME: &str = "frees its iterations";
    let arrivals: Vec<Path> = paths.iter().filter(|path| path.flow.is_none()).cloned().collect();
    if arrivals.is_empty() {
        return Check::skipped(NAME, "no iteration ends by itself");
    }
    let Ok(mut rehearsal) = bench.fresh() else { return Check::skipped(NAME, "there is no instance") };
    let mut at = Vec::new();
    let mut done = 0;
    for upto in [WARM, FEW] {
        if let Err(why) = run(&mut rehearsal, bench.subject, &arrivals, &mut done, upto) {
            return Check::skipped(NAME, why);
        }
        at.push(rehearsal.figures().memory);
    }
    if !grew(&at) {
        bench.figures.add(&rehearsal.figures());
        return Check::ok(NAME, format!("{} KiB after {WARM} iterations and after {FEW}", at[0] >> 10));
    }
    // Fragments may cost a page; what leaks goes on.
    if let Err(why) = run(&mut rehearsal, bench.subject, &arrivals, &mut done, MANY) {
        return Check::skipped(NAME, why);
    }
    at.push(rehearsal.figures().memory);
    bench.figures.add(&rehearsal.figures());
    judge(NAME, &at)
}

fn grew(at: &[usize]) -> bool {
    at.windows(2).any(|pair| pair[1] > pair[0])
}

/// Memory after [`WARM`], [`FEW`] and [`MANY`] iterations.
fn judge(name: &'static str, at: &[usize]) -> Check {
    let shown: Vec<String> = at.iter().map(|bytes| format!("{} KiB", bytes >> 10)).collect();
    let seen = format!("{} after {WARM}, {FEW} and {MANY} iterations", shown.join(", "));
    match at {
        [_, few, many] if many > few => {
            let each = (many - few) as u64 / (MANY - FEW);
            Check::failed(
                name,
                format!("{seen}: about {each} bytes an iteration stay"),
                "let go of what belongs to an iteration when it ends: lists in the plan, leaked boxes, statics",
                Vec::new(),
            )
        }
        _ => Check::ok(name, seen),
    }
}

/// Runs iterations with one mishap after the other, up to so many in all.
fn run(
    rehearsal: &mut Rehearsal,
    subject: &Subject<'_>,
    paths: &[Path],
    done: &mut u64,
    upto: u64,
) -> Result<(), String> {
    let mishaps = mishaps(paths);
    let mut turns = mishaps.iter().cycle();
    while *done < upto {
        let begin = subject.arrival(*done);
        let plain = subject.target(paths[0].flavour);
        let mishap = turns.next().map(|(_, position, mishap)| (*position, *mishap, false));
        let target = if done.is_multiple_of(3) { plain } else { Target { mishap, ..plain } };
        let Some(take) = rehearsal.begin(&begin) else { return Err("there is no iteration".to_owned()) };
        let mut way = Way::default();
        let most = if (*done + 1).is_multiple_of(CUT_OFF) { 1 } else { MOST_EVENTS };
        for _ in 0..most {
            if !target.step(rehearsal, take, &mut way) {
                break;
            }
        }
        let ended = rehearsal.forget(take);
        if rehearsal.is_dead() {
            let text = ended.as_ref().and_then(|take| take.ending()).map_or("", |ending| ending.detail.as_str());
            return Err(format!("an instance was lost after {done} iterations: {text}"));
        }
        *done += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author::conform::CheckVerdict;

    #[test]
    fn a_page_once_is_no_leak_and_growth_that_goes_on_is() {
        const PAGE: usize = 64 << 10;
        assert!(!grew(&[PAGE, PAGE]) && grew(&[PAGE, 2 * PAGE]));
        assert_eq!(judge("frees", &[PAGE, 2 * PAGE, 2 * PAGE]).verdict, CheckVerdict::Ok);
        let leaks = judge("frees", &[PAGE, 2 * PAGE, 7 * PAGE]);
        assert_eq!(leaks.verdict, CheckVerdict::Failed);
        assert_eq!(
            leaks.seen,
            "64 KiB, 128 KiB, 448 KiB after 100, 500 and 3000 iterations: about 131 bytes an iteration stay"
        );
    }
}
