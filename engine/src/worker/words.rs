//! What plugins say: lines they log, and the texts of their faults.

use super::core::Core;

/// Something a person should hear of while the run goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A plugin's fault, the first with this text on its worker.
    Fault {
        /// Position of the workload.
        workload: usize,
        /// The failure reason.
        reason: &'static str,
        /// For the plugin's author.
        text: String,
    },
    /// A line a plugin logged.
    Log {
        /// Position of the workload.
        workload: usize,
        /// How loud.
        level: &'static str,
        /// The line.
        text: String,
    },
}

/// Log lines a worker passes on in a second; the rest are counted.
const LOG_LINES_PER_SECOND: u32 = 10;
/// Different texts of faults that are kept.
const FAULT_TEXTS: usize = 50;

/// Passes log lines on, so many a second.
#[derive(Debug, Default)]
pub(super) struct LogGate {
    second: u64,
    passed: u32,
    /// Lines that were not passed on.
    pub(super) dropped: u64,
}

impl Core {
    /// Keeps a fault's text, and tells of it the first time.
    pub(super) fn note_fault(&mut self, workload: usize, reason: &'static str, text: String) {
        let mut key = (workload, reason, text);
        if let Some(count) = self.faults.get_mut(&key) {
            *count += 1;
            return;
        }
        if self.faults.len() >= FAULT_TEXTS {
            key.2 = "other".into();
        }
        let count = self.faults.entry(key.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            // Nobody listens only when the run is over.
            let _ = self.notices.send(Notice::Fault { workload, reason, text: key.2 });
        }
    }

    /// Passes on what a plugin logged, so many lines a second.
    pub(super) fn pass_log(&mut self, workload: usize, instance: usize) {
        let (lines, dropped) = self.workloads[workload].instances.get(instance).take_log();
        self.log_gate.dropped += dropped;
        let second = self.clock.now().0 / 1_000_000_000;
        for line in lines {
            if let Some(listener) = &mut self.listener {
                listener.logged(line);
                continue;
            }
            if self.log_gate.second != second {
                self.log_gate.second = second;
                self.log_gate.passed = 0;
            }
            if self.log_gate.passed >= LOG_LINES_PER_SECOND {
                self.log_gate.dropped += 1;
                continue;
            }
            self.log_gate.passed += 1;
            let _ = self.notices.send(Notice::Log { workload, level: line.level, text: line.text });
        }
    }
}
