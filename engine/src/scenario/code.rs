//! The codes of faults: stable names for programs, one line each for people.

/// Declares the constants and the list of them from one table.
macro_rules! codes {
    ($($name:ident = $id:literal, $about:literal;)*) => {
        $(#[doc = $about] pub const $name: &str = $id;)*

        /// Every code of this module with what it means, in alphabetical order.
        pub const ALL: &[(&str, &str)] = &[$(($id, $about)),*];
    };
}

codes! {
    LIMITS_BAD_HOST = "limits.bad_host", "An allowed host is not written as `host` or `host:port`.";
    LIMITS_CONNECTIONS = "limits.connections_below_workers", "Fewer connections are allowed than there are workers.";
    LIMITS_IN_FLIGHT = "limits.in_flight_below_closed", "Fewer may be in flight than a closed phase holds at once.";
    OVERRIDE_ONE_PHASE = "override.one_phase_only", "`--rate` or `--duration` with a scenario of several phases.";
    OVERRIDE_RANGE = "override.out_of_range", "The value of a command-line option is out of range.";
    PHASE_DUPLICATE = "phase.duplicate_name", "Two phases have the same name.";
    PHASE_JUDGED = "phase.judged", "The judged phase cannot be told: more than one, none, or one that cannot be it.";
    PHASE_RECOVERY = "phase.recovery", "The recovery phase cannot be told: more than one, or one that cannot be it.";
    PHASE_TOO_LONG = "phase.too_long", "The phases together are too long to be counted.";
    PLUGIN_CONFIG = "plugin.config", "The configuration of a plugin does not fit the schema that it gives.";
    PLUGIN_REFUSED = "plugin.refused", "A plugin is not there, cannot be used, or refuses its configuration.";
    PROBE_BAD_SERIES = "probe.bad_series", "A probe's series is not written as one.";
    PROBE_BAD_URL = "probe.bad_url", "A probe's URL is not one that can be read.";
    PROBE_DUPLICATE = "probe.duplicate_name", "Two probes have the same name.";
    PROFILE_POINTS = "profile.bad_points", "The points of a phase are none, out of order, or outside of it.";
    PROFILE_SPIKE = "profile.bad_spike", "A spike has no length, or is not over before its phase ends.";
    PROFILE_STEPS = "profile.bad_steps", "The steps of a phase go below 0.";
    PROFILE_NOTHING = "profile.nothing_planned", "No phase has a rate, or all of them add up to no arrival.";
    PROFILE_TOO_FINE = "profile.rate_too_fine", "A rate has more than six decimals.";
    PROFILE_TOO_MANY = "profile.too_many", "More random arrivals than can be laid out.";
    QUICK_BAD_FIELD = "quick.bad_field", "A field given with `-H` is not written as `Name: value`.";
    QUICK_BAD_METHOD = "quick.bad_method", "The method given with `-m` is none.";
    CONFIG = "scenario.bad_config", "A value in a `config` table cannot be handed to a plugin.";
    BAD_DURATION = "scenario.bad_duration", "A length of time that is not a number with a unit.";
    BAD_NAME = "scenario.bad_name", "A name that is empty, too long, or has other characters than are allowed.";
    BAD_SIZE = "scenario.bad_size", "A size that is not a number of bytes with a unit.";
    CONFLICT = "scenario.conflict", "Of two keys exactly one must be there.";
    FILE_MISSING = "scenario.file_missing", "A file that the scenario names is not there.";
    MISSING_KEY = "scenario.missing_key", "A key or table that is required is not there.";
    NOT_FOUND = "scenario.not_found", "The scenario file is not there.";
    NOT_READABLE = "scenario.not_readable", "The scenario file cannot be read.";
    NOT_UTF8 = "scenario.not_utf8", "The scenario file is not UTF-8 text.";
    OUT_OF_RANGE = "scenario.out_of_range", "A value is outside its range.";
    SYNTAX = "scenario.syntax", "The text is not TOML.";
    TOO_MANY = "scenario.too_many", "More entries than can be numbered.";
    UNKNOWN_CHOICE = "scenario.unknown_choice", "A value that is none of those there are.";
    UNKNOWN_KEY = "scenario.unknown_key", "A key or table that does not exist.";
    WRONG_TYPE = "scenario.wrong_type", "A value of another type than the key has.";
    SET_BAD_FORM = "set.bad_form", "A `--set` that is not written as `table.key=value`.";
    SET_UNKNOWN_PATH = "set.unknown_path", "A `--set` for a key or entry that does not exist.";
    TARGET_BAD_ADDRESS = "target.bad_address", "`resolve` is not written as `IP:port`.";
    TARGET_BAD_STUB = "target.bad_stub", "The stub's command line cannot be split into words.";
    TARGET_BAD_URL = "target.bad_url", "The base URL is not one that can be loaded.";
    TARGET_CERTIFICATE = "target.incomplete_certificate", "A client certificate without its key, or a key without its certificate.";
    TARGET_NO_EFFECT = "target.without_effect", "A setting that has no effect on this target (a warning).";
    THRESHOLD_VALUE = "threshold.bad_value", "A threshold's value does not fit its metric.";
    THRESHOLD_METRIC = "threshold.unknown_metric", "A threshold's metric is not written as one.";
    THRESHOLD_PHASE = "threshold.unknown_phase", "A threshold names a phase that does not exist or offers nothing.";
    THRESHOLD_WORKLOAD = "threshold.unknown_workload", "A threshold names a workload that does not exist.";
    VARIABLE_MALFORMED = "variable.malformed", "A `${…}` that is not closed or names no variable.";
    VARIABLE_UNSET = "variable.unset", "A `${NAME}` whose variable is not set and that has no default.";
    WORKLOAD_DUPLICATE = "workload.duplicate_name", "Two workloads have the same name.";
    WORKLOAD_NOTHING = "workload.nothing_planned", "A workload whose share is too small to be sent at all (a warning).";
}
