//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A load engine for AI platforms. Workloads are WebAssembly plugins; the schedule is the truth.
#[derive(Debug, Parser)]
#[command(name = "engine", version, max_term_width = 110, after_help = "Exit statuses: docs/exit-statuses.md")]
pub(super) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Offer a scenario's load to its target, judge it and report
    Run(Box<Run>),
    /// Run one iteration and show every exchange of it: the first thing to do with a new plugin
    Try(Box<Try>),
    /// Render the report of an earlier run again
    Report(Report),
    /// Hold a run's own record of its requests against the journal of the stub that it loaded
    Verify(Verify),
    /// Look at plugins
    #[command(subcommand)]
    Plugin(super::plugin::Plugin),
}

/// `engine run`.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// Scenario file, as with --scenario
    #[arg(value_name = "FILE", conflicts_with_all = ["scenario", "url"])]
    pub file: Option<PathBuf>,

    /// Scenario file (TOML, docs/scenario.md)
    #[arg(long, value_name = "FILE")]
    pub scenario: Option<PathBuf>,

    /// Plugin file; takes the place of the scenario's plugin of its name, else of its file stem (repeatable)
    #[arg(long = "plugin", value_name = "FILE")]
    pub plugins: Vec<PathBuf>,

    /// Without a scenario: send plain HTTP requests to this URL
    #[arg(long, conflicts_with = "scenario", help_heading = "Without a scenario")]
    pub url: Option<String>,

    /// Method; GET, or POST where there is a body
    #[arg(
        short,
        long,
        value_name = "METHOD",
        requires = "url",
        conflicts_with = "scenario",
        help_heading = "Without a scenario"
    )]
    pub method: Option<String>,

    /// Header field, as "Name: value" (repeatable)
    #[arg(
        short = 'H',
        long = "header",
        value_name = "FIELD",
        requires = "url",
        conflicts_with = "scenario",
        help_heading = "Without a scenario"
    )]
    pub headers: Vec<String>,

    /// Body
    #[arg(
        short = 'd',
        long = "data",
        value_name = "TEXT",
        requires = "url",
        conflicts_with = "scenario",
        help_heading = "Without a scenario"
    )]
    pub body: Option<String>,

    /// Expected statuses, such as 200,204; any 2xx where absent
    #[arg(
        long,
        value_name = "STATUS",
        value_delimiter = ',',
        requires = "url",
        conflicts_with = "scenario",
        help_heading = "Without a scenario"
    )]
    pub expect: Vec<String>,

    /// Arrivals per second (scenarios with one phase); 10 with --url
    #[arg(long, value_name = "PER_SECOND", help_heading = "Overrides")]
    pub rate: Option<f64>,

    /// Length of the phase, such as 30s (scenarios with one phase); 10s with --url
    #[arg(long, value_name = "TIME", help_heading = "Overrides")]
    pub duration: Option<String>,

    /// Set a value of the scenario, such as `workload.api_read.share=3` (repeatable)
    #[arg(long = "set", value_name = "TABLE.KEY=VALUE", help_heading = "Overrides")]
    pub set: Vec<String>,

    /// Seed of all randomness
    #[arg(long, value_name = "N", help_heading = "Overrides")]
    pub seed: Option<u64>,

    /// Worker threads, 1 to 256; the cores of the machine, at most 8, where absent
    #[arg(long, value_name = "N", help_heading = "Overrides")]
    pub workers: Option<u32>,

    /// The most connections, over all workers
    #[arg(long, value_name = "N", help_heading = "Overrides")]
    pub connections: Option<u32>,

    /// Shorten each phase to this part, 2 s at least; changes no rate
    #[arg(long, value_name = "FACTOR", help_heading = "Overrides")]
    pub scale: Option<f64>,

    /// Title of this run
    #[arg(long, value_name = "TEXT", help_heading = "Overrides")]
    pub title: Option<String>,

    /// How engine and target were placed, for the report
    #[arg(long, value_name = "TEXT", help_heading = "Overrides")]
    pub topology: Option<String>,

    /// Run it so many times, and show how far the figures lie apart
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000), conflicts_with = "dry", help_heading = "Output")]
    pub repeat: Option<u32>,

    /// Folder in which the folder of this run is made
    #[arg(long, value_name = "DIR", default_value = "results", help_heading = "Output")]
    pub results: PathBuf,

    /// What stdout gets in the end
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    /// No progress on stderr
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,

    /// Give each request an id (x-request-id), and write what became of it to requests.jsonl, for `engine verify`
    #[arg(long, help_heading = "Output")]
    pub requests: bool,

    /// Check scenario and plugins, say what would be run, and send nothing
    #[arg(long = "dry-run", help_heading = "Output")]
    pub dry: bool,
}

/// `engine try`.
#[derive(Debug, Args)]
pub(super) struct Try {
    /// Scenario file, or a plugin (.wasm) together with --url
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Which workload of the scenario; the first where absent
    #[arg(long, value_name = "NAME")]
    pub workload: Option<String>,

    /// Plugin file; takes the place of the scenario's plugin of its name, else of its file stem (repeatable)
    #[arg(long = "plugin", value_name = "FILE")]
    pub plugins: Vec<PathBuf>,

    /// Target, where FILE is a plugin
    #[arg(long)]
    pub url: Option<String>,

    /// Configuration as a JSON object, where FILE is a plugin
    #[arg(long, value_name = "JSON")]
    pub config: Option<String>,

    /// Set a value of the scenario (repeatable)
    #[arg(long = "set", value_name = "TABLE.KEY=VALUE")]
    pub set: Vec<String>,

    /// Position of the arrival in the schedule and in its workload
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub index: u64,

    /// Seed of all randomness
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Append what happened to this file as a case of `engine plugin test`, without secrets
    #[arg(long, value_name = "CASES")]
    pub record: Option<PathBuf>,
}

/// `engine report`.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// Folder of a run, or its result.json
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,

    /// In which form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// `engine verify`.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// Folder of a run with --requests
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,

    /// Journal of the stub, as written by its option --journal (repeatable)
    #[arg(long = "journal", value_name = "FILE", required = true)]
    pub journals: Vec<PathBuf>,

    /// In which form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

/// In which form a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For machines: the whole data set
    Json,
}
