//! Profiles as a scenario writes them: their counts are integrals, and what is wrong with one is told at its place.

use super::faults::refused;
use super::{BASE, plan};

/// What a phase of this length with this profile plans.
fn planned(duration: &str, profile: &str) -> u64 {
    let phase = format!("duration = \"{duration}\"\n{profile}");
    plan(&BASE.replace("duration = \"10s\"\nrate = 20", &phase)).planned.total()
}

#[test]
fn counts_are_integrals() {
    assert_eq!(planned("1s", "rate = 100"), 100);
    assert_eq!(planned("2s", "ramp = { from = 0, to = 100 }"), 100);
    assert_eq!(planned("3s", "steps = { from = 10, by = 10, count = 3 }"), 60);
    // A third of these is no whole number of nanoseconds.
    assert_eq!(planned("1s", "steps = { from = 10, by = 10, count = 3 }"), 20);
    assert_eq!(planned("1s", "steps = { from = 30, by = -10, count = 3 }"), 20);
    assert_eq!(planned("2s", "steps = { from = 30, by = 30, count = 3 }"), 120);
    assert_eq!(planned("10s", "steps = { from = 10, by = 10, count = 7 }"), 400);
    assert_eq!(planned("3s", "steps = { from = 30, by = -10, count = 3 }"), 60);
    assert_eq!(planned("2s", "spike = { base = 10, peak = 100, at = \"1s\", for = \"500ms\" }"), 65);
    assert_eq!(
        planned("4s", "points = [{ at = \"0s\", rate = 0 }, { at = \"2s\", rate = 100 }, { at = \"4s\", rate = 0 }]"),
        200
    );
    assert_eq!(planned("10s", "rate = 100\nmax_arrivals = 7"), 7);
}

#[test]
fn random_arrivals_come_from_the_seed() {
    let with = |seed: u64| {
        let text = BASE.replace("rate = 20", "rate = 20\nrandom = true");
        let plan = plan(&format!("[run]\nseed = {seed}\n{text}"));
        plan.schedule().all().map(|arrival| arrival.due_ns).collect::<Vec<_>>()
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
    assert!((120..280).contains(&with(1).len()), "{}", with(1).len());
}

#[test]
fn a_profile_is_told_in_a_line() {
    let told = |profile: &str| plan(&BASE.replace("rate = 20", profile)).phases[0].shown();
    assert_eq!(told("rate = 20\nrandom = true\nmax_arrivals = 5"), "constant 20/s, random, at most 5 arrivals");
    assert_eq!(told("ramp = { from = 0, to = 2.5 }"), "ramp from 0/s to 2.5/s");
    assert_eq!(told("steps = { from = 30, by = -10, count = 3 }"), "3 steps from 30/s by -10/s");
    assert_eq!(
        told("spike = { base = 1, peak = 9, at = \"1s\", for = \"500ms\" }"),
        "constant 1/s, a spike of 9/s at 1s for 500ms"
    );
    assert_eq!(
        told("points = [{ at = \"0s\", rate = 1 }, { at = \"1s\", rate = 2 }]"),
        "lines through 1/s at 0s, 2/s at 1s"
    );
}

#[test]
fn what_is_wrong_with_a_profile_has_its_code_and_its_place() {
    for (profile, code, says) in [
        ("rate = 20\nramp = { from = 0, to = 1 }", "scenario.conflict", "a phase has one profile, or is a pause"),
        ("pause = true\nsteps = { from = 1, by = 1, count = 2 }", "scenario.conflict", "a phase has one profile"),
        ("pause = false", "scenario.conflict", "a phase needs a profile, or `pause = true`"),
        ("ramp = { from = 0, to = 100001 }", "scenario.out_of_range", "100000"),
        ("ramp = { from = -1, to = 1 }", "scenario.out_of_range", ""),
        ("ramp = { from = 0 }", "scenario.missing_key", "to"),
        ("ramp = { from = 0, to = 0 }", "profile.nothing_planned", "add up to no arrival"),
        ("rate = 0.05", "scenario.out_of_range", "0.1"),
        ("steps = { from = 1, by = 1, count = 101 }", "scenario.out_of_range", "100"),
        ("steps = { from = 1, by = 1, count = 0 }", "scenario.out_of_range", "1"),
        ("steps = { from = 10, by = -6, count = 3 }", "profile.bad_steps", "below 0"),
        ("steps = { from = 99990, by = 10, count = 3 }", "scenario.out_of_range", "100,000"),
        ("steps = { from = 1, by = 0.0000001, count = 3 }", "profile.rate_too_fine", "six decimals"),
        ("spike = { base = 1, peak = 2, at = \"1s\", for = \"0s\" }", "profile.bad_spike", "longer than 0"),
        ("spike = { base = 1, peak = 2, at = \"9s\", for = \"1s\" }", "profile.bad_spike", "before its phase ends"),
        ("spike = { base = 1, peak = 0, at = \"1s\", for = \"1s\" }", "scenario.out_of_range", "0.1"),
        (
            "points = [{ at = \"2s\", rate = 1 }, { at = \"1s\", rate = 1 }]",
            "profile.bad_points",
            "order of their times",
        ),
        ("points = [{ at = \"11s\", rate = 1 }]", "profile.bad_points", "after the end"),
        ("points = []", "profile.bad_points", "at least one point"),
        ("pause = true\nrandom = true", "scenario.conflict", "a pause has no arrivals"),
        ("pause = true\nmax_arrivals = 5", "scenario.conflict", "a pause has no arrivals"),
        ("closed = 0", "scenario.out_of_range", "1"),
        ("closed = 100001", "scenario.out_of_range", "100000"),
        ("closed = 2\nrandom = true", "scenario.conflict", "no due times that could be random"),
        ("closed = 2\nrate = 2", "scenario.conflict", "one profile"),
        ("rate = 1\nmax_arrivals = 0", "scenario.out_of_range", "1"),
        ("rate = 1\nrandom = 5", "scenario.wrong_type", "random"),
    ] {
        let seen = refused(&BASE.replace("rate = 20", profile));
        assert!(seen.contains(&format!("error[{code}")), "{profile}: {seen}");
        assert!(seen.contains(says), "{profile}: {seen}");
        assert!(seen.contains("--> mix.toml:"), "{profile}: {seen}");
        let is_range = code.starts_with("profile.") || code == "scenario.out_of_range";
        assert!(!is_range || seen.contains("= help: "), "{profile}: {seen}");
    }
}

#[test]
fn a_shortened_phase_keeps_its_profile_in_proportion() {
    use crate::scenario::Overrides;
    let text = BASE
        .replace("duration = \"10s\"", "duration = \"20s\"")
        .replace("rate = 20", "spike = { base = 10, peak = 100, at = \"10s\", for = \"5s\" }");
    let plan = super::plan_with(&text, &Overrides { scale: Some(0.1), ..Overrides::default() });
    assert_eq!(plan.planned.total(), 65);
}

#[test]
fn a_closed_phase_plans_nothing_and_needs_room_for_what_it_holds() {
    let text = BASE.replace("rate = 20", "closed = 64\nmax_arrivals = 1000");
    let plan = plan(&text);
    assert_eq!((plan.planned.total(), plan.phases[0].closed()), (0, Some(64)));
    assert_eq!(plan.phases[0].shown(), "closed, 64 at once, at most 1000 arrivals");
    assert_eq!((plan.limits.in_flight, plan.limits.in_flight_default), (64, 64));
    // On top of what an open phase may still have in flight: 10/s, each up to a minute.
    let open = "[[phase]]\nname = \"open\"\nduration = \"5s\"\nrate = 10\n";
    assert_eq!(super::plan(&format!("{text}{open}")).limits.in_flight_default, 664);
    super::assert_text(
        &refused(&format!("[limits]\nin_flight = 63\n{text}")),
        "
error[limits.in_flight_below_closed]: 63 in flight are too few for a closed phase of 64
 --> mix.toml:2:13
  |
2 | in_flight = 63
  |             ^^ binds below it
  |
  = help: raise it, leave it out, or ask for a smaller `closed`",
    );
}

#[test]
fn setting_a_key_of_a_profile_takes_the_place_of_the_one_in_the_file() {
    let set = super::sets(&["phase.load.ramp.from=0", "phase.load.ramp.to=10"]);
    assert_eq!(super::plan_with(BASE, &set).planned.total(), 50);
    assert_eq!(super::plan_with(BASE, &super::sets(&["phase.load.closed=3"])).phases[0].closed(), Some(3));
}

#[test]
fn what_is_wrong_by_what_was_set_is_told_where_it_was_set() {
    let text = BASE.replace("rate = 20", "steps = { from = 30, by = -10, count = 3 }");
    let seen = super::refusal(super::resolve_with(&text, &super::sets(&["phase.load.steps.by=-20"])));
    super::assert_text(
        &seen,
        "
error[profile.bad_steps]: the last steps have rates below 0
 --> --set:1:21
  |
1 | phase.load.steps.by=-20
  |                     ^^^ here
  |
  = help: fewer steps, a smaller `by`, or a higher `from`",
    );
}
