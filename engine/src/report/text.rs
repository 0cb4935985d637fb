//! The report as text: Markdown that reads well in a terminal.

use std::fmt::Write;

use minijinja::{Environment, context};
use serde::Serialize;

use super::probe;
use super::result::{PluginTrap, RunResult, Stretch};
use super::sections;
use super::table::{code, plain};
use super::{ReportError, Run};
use crate::verdict::{CheckVerdict, Quantity, grouped};

const TEMPLATE: &str = include_str!("report.md.j2");

/// One line of what was run.
#[derive(Serialize)]
struct Fact {
    name: &'static str,
    value: String,
}

/// A phase, or the whole run, ready to be set.
#[derive(Serialize)]
struct Part {
    title: String,
    states: String,
    rates: String,
    times: String,
    remarks: Vec<String>,
    outcomes: String,
    metrics: String,
}

/// A trap, ready to be set.
#[derive(Serialize)]
struct Trap {
    plugin: String,
    reason: String,
    count: String,
    text: String,
}

/// Renders the report of a run: what stdout shows and `report.md` holds.
///
/// # Errors
/// None that a result can cause; those of the template engine.
pub fn markdown(result: &RunResult) -> Result<String, ReportError> {
    let failed = |error: minijinja::Error| ReportError::Render(error.to_string());
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_keep_trailing_newline(true);
    // The texts are made safe for Markdown where the tables are made.
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_template("report", TEMPLATE).map_err(failed)?;
    let find = |name: &String| result.phases.iter().find(|stretch| stretch.phase.as_ref() == Some(name));
    let judged = find(&result.judged_phase).unwrap_or(&result.whole);
    let recovery = result.recovery_phase.as_ref().and_then(find);
    let run = &result.run;
    let judgement = &result.judgement;
    let advice: Vec<String> = judgement
        .checks
        .iter()
        .filter_map(|check| Some(format!("{}: {}.", plain(&check.name), plain(check.advice.as_ref()?))))
        .collect();
    let also: Vec<String> = judgement.applies.iter().skip(1).map(ToString::to_string).collect();
    let costs =
        if result.plugin_costs.is_empty() { String::new() } else { sections::plugin_costs(&result.plugin_costs) };
    let text = environment
        .get_template("report")
        .map_err(failed)?
        .render(context! {
            title => plain(run.title.as_ref().unwrap_or(&run.name)),
            starts => sections::starts(&result.starts),
            lateness => sections::lateness(&result.starts),
            facts => facts(run),
            plugins => sections::plugins(run),
            mix => sections::mix(run),
            configs => sections::configs(run),
            overrides => run.overrides.iter().map(|option| code(option)).collect::<Vec<_>>().join(", "),
            schedule => sections::schedule(result),
            settings => settings(run),
            setup => if result.setup.is_empty() { String::new() } else { sections::setup(&result.setup) },
            judged => part(judged),
            recovery => recovery.map(part),
            whole => part(&result.whole),
            only_phase => result.phases.len() == 1,
            plugin_costs => costs,
            probes => probe::table(&result.probes),
            probe_failures => probe::failures(&result.probes),
            traps => result.plugin_traps.iter().map(trap).collect::<Vec<_>>(),
            notes => result.notes.iter().map(|note| plain(note)).collect::<Vec<_>>(),
            checks => sections::checks(&judgement.checks),
            advice => advice,
            thresholds => sections::thresholds(&judgement.thresholds),
            reasons => judgement.reasons.iter().map(|reason| plain(reason)).collect::<Vec<_>>(),
            warnings => judgement
                .checks
                .iter()
                .filter(|check| check.verdict == CheckVerdict::Warning)
                .map(|check| plain(&check.sentence()))
                .collect::<Vec<_>>(),
            unjudged => judgement.unjudged.iter().map(|sentence| plain(sentence)).collect::<Vec<_>>(),
            verdict => judgement.verdict.to_string(),
            also => if also.is_empty() { String::new() } else { format!(" (also: {})", also.join(", ")) },
        })
        .map_err(failed)?;
    Ok(without_gaps(&text))
}

/// Sets one empty line where parts that are left out have made several.
fn without_gaps(text: &str) -> String {
    let mut tight = String::with_capacity(text.len());
    let mut empty = true;
    for line in text.lines().map(str::trim_end) {
        if !(empty && line.is_empty()) {
            tight.push_str(line);
            tight.push('\n');
        }
        empty = line.is_empty();
    }
    tight
}

fn part(stretch: &Stretch) -> Part {
    // A stretch that was cut off has a length to the nanosecond.
    let length = Quantity::seconds((stretch.length_s * 1e3).round() / 1e3);
    let title = match &stretch.phase {
        Some(phase) => format!("{}, {}", plain(phase), length.plain()),
        None => length.plain(),
    };
    Part {
        title,
        states: sections::states(stretch),
        rates: sections::rates(stretch),
        times: sections::times(stretch),
        remarks: sections::remarks(stretch),
        outcomes: sections::outcomes(stretch),
        metrics: sections::metrics(stretch),
    }
}

fn facts(run: &Run) -> Vec<Fact> {
    let machine = &run.machine;
    let memory = machine.memory_bytes.map(|memory| format!(", {}", sections::bytes(memory))).unwrap_or_default();
    let mut engine = plain(&run.engine.version);
    if let Some(revision) = &run.engine.revision {
        let _ = write!(engine, " ({})", plain(revision));
    }
    let mut length = format!(
        "{} of schedule, {} with its drain",
        Quantity::seconds(run.schedule_s).plain(),
        Quantity::seconds(run.took_s)
    );
    if let Some(stopped) = run.stopped_at_s {
        let _ = write!(length, "; stopped after {}", Quantity::seconds(stopped));
    }
    let mut facts = vec![
        Fact { name: "scenario", value: plain(&run.name) },
        Fact { name: "started", value: plain(&run.started_at) },
        Fact { name: "length", value: length },
        Fact { name: "target", value: plain(&run.target) },
        Fact { name: "engine", value: engine },
        Fact {
            name: "machine",
            value: format!("{}, {} cores{memory}, {}", plain(&machine.cpu), machine.cores, plain(&machine.kernel)),
        },
        Fact { name: "workers", value: run.workers.to_string() },
        Fact { name: "seed", value: run.seed.to_string() },
    ];
    if let Some(topology) = &run.topology {
        facts.push(Fact { name: "topology", value: plain(topology) });
    }
    facts
}

fn settings(run: &Run) -> String {
    let each = run.settings.iter().map(|setting| code(&format!("{} = {}", setting.key, setting.value)));
    each.collect::<Vec<_>>().join(", ")
}

/// A trap's text is of several lines: a block that nothing in it can end, each line made safe.
fn trap(trap: &PluginTrap) -> Trap {
    let lines = trap.text.lines().map(|line| format!("    {}", plain(line).replace("\\|", "|")));
    Trap {
        plugin: plain(&trap.plugin),
        reason: plain(&trap.reason).replace('`', "'"),
        count: grouped(trap.count),
        text: lines.collect::<Vec<_>>().join("\n"),
    }
}
