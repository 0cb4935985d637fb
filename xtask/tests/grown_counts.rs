//! A hot path that takes more instructions than it did: found, with what, from what to what, and what to do.

use xtask::counts::{CASES, Limits, remarks};

/// Each case takes 10,000 instructions, but these.
fn counts(rustc: &str, others: &[(&str, u64)]) -> Limits {
    let mut instructions: std::collections::BTreeMap<String, u64> =
        CASES.iter().map(|(case, _)| ((*case).to_owned(), 10_000)).collect();
    instructions.extend(others.iter().map(|(case, count)| ((*case).to_owned(), *count)));
    Limits { rustc: rustc.to_owned(), architecture: "x86_64".to_owned(), room_percent: 3, instructions }
}

#[test]
fn what_stays_within_its_room_is_no_fault() {
    let before = counts("1.95.0", &[]);
    assert_eq!(before.faults(&before), [""; 0]);
    assert_eq!(before.faults(&counts("1.95.0", &[("plugin-raw", 10_300), ("record-many", 1)])), [""; 0]);
}

#[test]
fn what_grew_is_named_from_what_to_what_and_how_to_accept_it() {
    let before = counts("1.95.0", &[]);
    let after = counts("1.95.0", &[("record-many", 10_301)]);
    let told = "record-many: recording an iteration of a long run grew from 10000 to 10301 instructions, by 3.0 % where \
                3 % are allowed; `callgrind_annotate target/counts/record-many.out` says where they are; if it must be so, \
                run `cargo xtask counts --accept`, commit engine/benches/counts.toml and say why";
    assert_eq!(before.faults(&after), [told]);
    let after = counts("1.96.0", &[("record-many", 10_301)]);
    let why = " (the counts are of rustc 1.95.0, this is 1.96.0: that alone may be the cause)";
    assert_eq!(before.faults(&after), [format!("{told}{why}")]);
}

#[test]
fn a_case_without_a_count_is_a_fault_on_either_side() {
    let all = counts("1.95.0", &[]);
    let mut fewer = all.clone();
    fewer.instructions.remove("plugin-sdk");
    assert_eq!(
        fewer.faults(&all),
        [
            "plugin-sdk: engine/benches/counts.toml has no count of it; run `cargo xtask counts --accept` and commit the file"
        ]
    );
    assert_eq!(all.faults(&fewer), ["plugin-sdk: was not counted"]);
}

#[test]
fn what_fell_is_said_to_be_worth_keeping() {
    let (before, after) = (counts("1.95.0", &[]), counts("1.95.0", &[("plugin-raw", 9_000)]));
    let lines = remarks(&before, &after);
    assert_eq!(lines.len(), CASES.len());
    assert_eq!(
        lines[0],
        "plugin-raw       9000  -10.0 %  what an iteration costs in its plugin, with raw bindings; \
         keep it with `cargo xtask counts --accept`"
    );
    assert!(lines[1].ends_with("+0.0 %  what an iteration costs in its plugin, through the SDK"), "{lines:?}");
}
