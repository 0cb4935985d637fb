//! Reading a table key by key: types and ranges as the list of keys has them, and every fault noted.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use super::code;
use super::fault::Fault;
use super::keys::{self, Key, Kind, Spec};
use super::nearest::{did_you_mean, nearest};
use super::source::Span;
use super::tree::{Entry, Node, Table, Text, Value};
use super::units;

/// Entries of a list of tables beyond this are refused.
const MOST_ENTRIES: usize = 1_000;

/// Where faults are noted while reading goes on.
#[derive(Debug, Default)]
pub(crate) struct Log {
    faults: RefCell<Vec<Fault>>,
    /// Values that could not be made out: what else is wrong with them comes of that.
    lost: RefCell<Vec<Span>>,
}

impl Log {
    /// Notes a fault, unless it is of a value that is lost.
    pub(crate) fn note(&self, fault: Fault) {
        if fault.span().is_none_or(|span| !self.lost.borrow().contains(&span)) {
            self.faults.borrow_mut().push(fault);
        }
    }

    /// Notes that a value at this place cannot be made out.
    pub(crate) fn lose(&self, value: Span, fault: Fault) {
        self.faults.borrow_mut().push(fault);
        self.lost.borrow_mut().push(value);
    }

    /// All faults noted so far.
    pub(crate) fn into_faults(self) -> Vec<Fault> {
        self.faults.into_inner().into_iter().map(Fault::in_lines).collect()
    }

    /// Whether a fault was noted that refuses the scenario.
    pub(crate) fn refuses(&self) -> bool {
        self.faults.borrow().iter().any(|fault| !fault.is_warning())
    }
}

/// A value that was read, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// One table being read. Each key is asked for once; what was not asked for is unknown.
pub(crate) struct Reader<'a> {
    spec: &'static Spec,
    table: &'a Table,
    place: Span,
    log: &'a Log,
    asked: Cell<usize>,
}

impl<'a> Reader<'a> {
    /// Reads `table`, which stands at `place`.
    pub(crate) fn new(spec: &'static Spec, table: &'a Table, place: Span, log: &'a Log) -> Self {
        Self { spec, table, place, log, asked: Cell::new(0) }
    }

    /// Where the table stands.
    pub(crate) fn place(&self) -> Span {
        self.place
    }

    /// Where a key of it stands; the table itself where it has no such key.
    pub(crate) fn place_of(&self, name: &str) -> Span {
        self.table.get(name).map_or(self.place, |entry| entry.key_span)
    }

    /// Whether a key is there, right or wrong.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.table.get(name).is_some()
    }

    /// Notes a fault.
    pub(crate) fn note(&self, fault: Fault) {
        self.log.note(fault);
    }

    /// A string.
    pub(crate) fn text(&self, name: &str) -> Option<Field<&'a Text>> {
        let (key, node) = self.ask(name)?;
        self.as_text(key, node)
    }

    /// A string with only the characters of a name.
    pub(crate) fn name(&self, name: &str) -> Option<Field<String>> {
        let (key, node) = self.ask(name)?;
        let text = self.as_text(key, node)?;
        let Kind::Name { upper } = key.kind else { return None };
        if is_name(&text.value.value, upper) {
            return Some(Field { value: text.value.value.clone(), span: text.span });
        }
        let letters = if upper { "letters" } else { "lower-case letters" };
        let message = format!("`{name}` must be 1 to 64 {letters}, digits, `-` and `_`");
        self.note(Fault::new(code::BAD_NAME, message).at(node.span, "not such a name"));
        None
    }

    /// One of a few strings.
    pub(crate) fn choice(&self, name: &str) -> Option<Field<&'static str>> {
        let (key, node) = self.ask(name)?;
        let text = self.as_text(key, node)?;
        let Kind::Choice(choices) = key.kind else { return None };
        if let Some(choice) = choices.iter().find(|choice| **choice == text.value.value) {
            return Some(Field { value: choice, span: text.span });
        }
        let label = did_you_mean(&text.value.value, choices.iter().copied(), "none of these");
        let message = format!("`{name}` cannot be `{}`", text.value.raw);
        let there_are: Vec<_> = choices.iter().map(|choice| format!("\"{choice}\"")).collect();
        let hint = format!("there are: {}", there_are.join(", "));
        self.note(Fault::new(code::UNKNOWN_CHOICE, message).at(node.span, label).hint(hint));
        None
    }

    /// A list of strings.
    pub(crate) fn texts(&self, name: &str) -> Option<Vec<Field<&'a Text>>> {
        let (key, node) = self.ask(name)?;
        let Value::Array(nodes) = &node.value else {
            self.wrong_type(key, node);
            return None;
        };
        Some(nodes.iter().filter_map(|node| self.as_text(key, node)).collect())
    }

    /// A whole number within its range.
    pub(crate) fn integer(&self, name: &str) -> Option<Field<u64>> {
        let (key, node) = self.ask(name)?;
        let (Kind::Integer { min, max }, Value::Integer(integer)) = (&key.kind, &node.value) else {
            self.wrong_type(key, node);
            return None;
        };
        match u64::try_from(*integer).ok().filter(|integer| (min..=max).contains(&integer)) {
            Some(value) => Some(Field { value, span: node.span }),
            None if *max == u64::MAX => self.out_of_range(key, node, integer, min, "2^64 - 1"),
            None => self.out_of_range(key, node, integer, min, max),
        }
    }

    /// A number within its range.
    pub(crate) fn number(&self, name: &str) -> Option<Field<f64>> {
        let (key, node) = self.ask(name)?;
        let Kind::Number { min, max } = &key.kind else { return None };
        let value = match &node.value {
            Value::Float(float) => *float,
            // Exact below 2^53; what is above is out of every range.
            Value::Integer(integer) => *integer as f64,
            _ => {
                self.wrong_type(key, node);
                return None;
            }
        };
        if (*min..=*max).contains(&value) {
            return Some(Field { value, span: node.span });
        }
        self.out_of_range(key, node, value, min, max)
    }

    /// `true` or `false`.
    pub(crate) fn boolean(&self, name: &str) -> Option<Field<bool>> {
        let (key, node) = self.ask(name)?;
        if let Value::Boolean(value) = node.value {
            return Some(Field { value, span: node.span });
        }
        self.wrong_type(key, node);
        None
    }

    /// A length of time within its range.
    pub(crate) fn duration(&self, name: &str) -> Option<Field<Duration>> {
        let (key, node) = self.ask(name)?;
        let text = self.as_text(key, node)?;
        let Kind::Duration { min, max } = key.kind else { return None };
        let Some(value) = units::duration(&text.value.value) else {
            let fault = Fault::new(code::BAD_DURATION, format!("`{name}` must be a length of time"));
            self.note(fault.at(node.span, "not one").hint("numbers with units: \"250ms\", \"30s\", \"1m30s\", \"2h\""));
            return None;
        };
        if (min..=max).contains(&value) {
            return Some(Field { value, span: node.span });
        }
        self.out_of_range(key, node, &text.value.raw, units::show_duration(min), units::show_duration(max))
    }

    /// A size within its range, in bytes.
    pub(crate) fn bytes(&self, name: &str) -> Option<Field<u64>> {
        let (key, node) = self.ask(name)?;
        let text = self.as_text(key, node)?;
        let Kind::Bytes { min, max } = key.kind else { return None };
        let Some(value) = units::bytes(&text.value.value) else {
            let fault = Fault::new(code::BAD_SIZE, format!("`{name}` must be a size"));
            self.note(fault.at(node.span, "not one").hint("a number with its unit: \"64MiB\", \"512KiB\", \"1GB\""));
            return None;
        };
        if (min..=max).contains(&value) {
            return Some(Field { value, span: node.span });
        }
        self.out_of_range(key, node, &text.value.raw, units::show_bytes(min), units::show_bytes(max))
    }

    /// A string or a number, as it stands.
    pub(crate) fn limit(&self, name: &str) -> Option<&'a Node> {
        let (key, node) = self.ask(name)?;
        if matches!(node.value, Value::Text(_) | Value::Integer(_) | Value::Float(_)) {
            return Some(node);
        }
        self.wrong_type(key, node);
        None
    }

    /// A table of anything, as it stands.
    pub(crate) fn free(&self, name: &str) -> Option<&'a Node> {
        let (key, node) = self.ask(name)?;
        if matches!(node.value, Value::Table(_)) {
            return Some(node);
        }
        self.wrong_type(key, node);
        None
    }

    /// Anything, as it stands.
    pub(crate) fn any(&self, name: &str) -> Option<&'a Node> {
        self.ask(name).map(|(_, node)| node)
    }

    /// A table within this one.
    pub(crate) fn table(&self, name: &str) -> Option<Reader<'a>> {
        let (key, node) = self.ask(name)?;
        if let (Kind::Table(spec), Value::Table(table)) = (&key.kind, &node.value) {
            return Some(Reader::new(spec, table, node.span, self.log));
        }
        self.wrong_type(key, node);
        None
    }

    /// The tables of a list.
    pub(crate) fn tables(&self, name: &str) -> Vec<Reader<'a>> {
        let Some((key, node)) = self.ask(name) else { return Vec::new() };
        let (Kind::Tables(spec), Value::Array(nodes)) = (&key.kind, &node.value) else {
            self.wrong_type(key, node);
            return Vec::new();
        };
        if nodes.len() > MOST_ENTRIES {
            let message = format!("{} entries of {}: {MOST_ENTRIES} at most", nodes.len(), spec.title);
            self.note(Fault::new(code::TOO_MANY, message).at(nodes[MOST_ENTRIES].span, "one too many"));
            return Vec::new();
        }
        let mut readers = Vec::with_capacity(nodes.len());
        for node in nodes {
            match &node.value {
                Value::Table(table) => readers.push(Reader::new(spec, table, node.span, self.log)),
                _ => self.wrong_type(key, node),
            }
        }
        readers
    }

    /// The text of its `name`, right or wrong, without asking for it.
    pub(crate) fn peek_name(&self) -> Option<Field<&'a str>> {
        let node = &self.table.get("name")?.node;
        match &node.value {
            Value::Text(text) => Some(Field { value: &text.value, span: node.span }),
            _ => None,
        }
    }

    /// Whether a key is there and `true`, without asking for it.
    pub(crate) fn peek_true(&self, name: &str) -> bool {
        self.table.get(name).is_some_and(|entry| matches!(entry.node.value, Value::Boolean(true)))
    }

    /// Notes what is missing and what is unknown. To be called when every key has been asked for.
    pub(crate) fn finish(self) {
        debug_assert_eq!(self.asked.get(), self.spec.keys.len(), "every key of {} is read, once", self.spec.title);
        let mut meant = Vec::new();
        for entry in self.table.entries.iter().filter(|entry| self.spec.key(&entry.key).is_none()) {
            let message = format!("unknown key `{}` in {}", entry.key, self.spec.title);
            let near = nearest(&entry.key, self.spec.keys.iter().map(|key| key.name));
            let label = near.map_or_else(|| "not known here".to_owned(), |near| format!("did you mean `{near}`?"));
            let mut fault = Fault::new(code::UNKNOWN_KEY, message).at(entry.key_span, label);
            // Specs of other files do not send their readers here.
            let own = keys::ALL.iter().any(|spec| std::ptr::eq(*spec, self.spec));
            let elsewhere = keys::ALL.iter().filter(|_| own).find(|spec| spec.key(&entry.key).is_some());
            if let (None, Some(spec)) = (near, elsewhere) {
                fault = fault.hint(format!("`{}` belongs in {}", entry.key, spec.title));
            }
            self.note(fault.hint(format!("known keys: {}", self.spec.names())));
            meant.extend(near);
        }
        // A required key that is only misspelt has its fault already.
        for key in self.spec.keys.iter().filter(|key| key.required && !meant.contains(&key.name)) {
            let empty = |entry: &Entry| matches!(&entry.node.value, Value::Array(list) if list.is_empty());
            if self.table.get(key.name).is_none_or(empty) {
                self.missing(key);
            }
        }
    }

    fn missing(&self, key: &Key) {
        let fault = match key.kind {
            Kind::Table(spec) | Kind::Tables(spec) => {
                let keys: Vec<_> =
                    spec.keys.iter().filter(|key| key.required).map(|key| format!("`{}`", key.name)).collect();
                let message = format!("{} is missing", spec.title);
                let needs = if keys.is_empty() { String::new() } else { format!(", with {}", keys.join(", ")) };
                Fault::new(code::MISSING_KEY, message).hint(format!("add {}{needs}: {}", spec.title, spec.about))
            }
            _ => Fault::new(code::MISSING_KEY, format!("`{}` is missing in {}", key.name, self.spec.title))
                .hint(format!("for example: {} = {}", key.name, key.example)),
        };
        let whole = std::ptr::eq(self.spec, &raw const keys::ROOT);
        self.note(fault.at(self.place_of(key.name), if whole { "not in this file" } else { "in here" }));
    }

    fn ask(&self, name: &str) -> Option<(&'static Key, &'a Node)> {
        let key = self.spec.key(name);
        debug_assert!(key.is_some(), "`{name}` is among the keys of {}", self.spec.title);
        self.asked.set(self.asked.get() + 1);
        Some((key?, &self.table.get(name)?.node))
    }

    fn as_text(&self, key: &Key, node: &'a Node) -> Option<Field<&'a Text>> {
        if let Value::Text(value) = &node.value {
            return Some(Field { value, span: node.span });
        }
        self.wrong_type(key, node);
        None
    }

    fn wrong_type(&self, key: &Key, node: &Node) {
        let (expected, found) = (kind_name(&key.kind), node.value.type_name());
        let fault = Fault::new(code::WRONG_TYPE, format!("`{}` must be {expected}, not {found}", key.name))
            .at(node.span, format!("this is {found}"));
        self.note(match key.kind {
            Kind::Table(spec) | Kind::Tables(spec) => fault.hint(format!("write it as {}", spec.title)),
            _ => fault.hint(format!("for example: {} = {}", key.name, key.example)),
        });
    }

    fn out_of_range<T>(
        &self,
        key: &Key,
        node: &Node,
        found: impl Display,
        min: impl Display,
        max: impl Display,
    ) -> Option<T> {
        let message = format!("`{}` must be from {min} to {max}, not {found}", key.name);
        let fault = Fault::new(code::OUT_OF_RANGE, message).at(node.span, "out of range");
        let example = format!("for example: {} = {}", key.name, key.example);
        self.note(if key.example.is_empty() { fault } else { fault.hint(example) });
        None
    }
}

/// Notes every name that an entry before has too.
pub(crate) fn check_unique(readers: &[Reader<'_>], code: &'static str, what: &str) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for reader in readers {
        let Some(name) = reader.peek_name() else { continue };
        if let Some(first) = seen.get(name.value) {
            let fault =
                Fault::new(code, format!("two {what} are called `{}`", name.value)).at(name.span, "the same again");
            reader.note(fault.also(*first, "the first"));
        } else {
            seen.insert(name.value, name.span);
        }
    }
}

/// Whether a text may be a name.
pub(crate) fn is_name(text: &str, upper: bool) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() && (upper || !c.is_ascii_uppercase()) || c == '-' || c == '_';
    (1..=64).contains(&text.len()) && text.chars().all(allowed)
}

/// What a key holds, with its article.
pub(crate) fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text | Kind::Name { .. } | Kind::Choice(_) => "a string",
        Kind::Texts => "an array of strings",
        Kind::Integer { .. } => "an integer",
        Kind::Number { .. } => "a number",
        Kind::Boolean => "a boolean",
        Kind::Duration { .. } => "a string with a length of time",
        Kind::Bytes { .. } => "a string with a size",
        Kind::Limit => "a string or a number",
        Kind::Free | Kind::Table(_) => "a table",
        Kind::Any => "a value",
        Kind::Tables(_) => "an array of tables",
    }
}
