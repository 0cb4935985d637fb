//! The texts that faults point into: the scenario file, and what the command line says.

/// A text that was parsed.
#[derive(Clone, Debug)]
struct Source {
    /// How it is called in a fault: the file's path, or an option of the command line.
    name: String,
    text: String,
}

/// All texts of a scenario.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
}

/// A place in one of the [`Sources`]: a range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    source: usize,
    start: usize,
    end: usize,
}

impl Sources {
    /// Adds an option of the command line with its value, and gives the span of the value.
    pub(super) fn add_option(&mut self, option: &str, value: impl std::fmt::Display) -> Span {
        let text = format!("{option} {value}");
        let end = text.len();
        self.add("command line", text).part(option.len() + 1..end)
    }

    /// Adds a text and gives the span of all of it.
    pub(crate) fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> Span {
        let (source, text) = (self.list.len(), text.into());
        let end = text.len();
        self.list.push(Source { name: name.into(), text });
        Span { source, start: 0, end }
    }

    /// How the text of a span is called.
    pub fn name(&self, span: Span) -> &str {
        self.list.get(span.source).map_or("", |source| &source.name)
    }

    /// The whole text in which a span lies.
    pub fn text(&self, span: Span) -> &str {
        self.list.get(span.source).map_or("", |source| &source.text)
    }

    /// Line and column of a span's start, both from 1; columns count characters.
    pub fn position(&self, span: Span) -> (usize, usize) {
        let before = self.text(span).get(..span.start).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        (line, before.chars().rev().take_while(|&c| c != '\n').count() + 1)
    }

    /// The part of `span` where `needle` stands literally; all of it where it does not.
    pub(super) fn find(&self, span: Span, needle: &str) -> Span {
        let inside = self.text(span).get(span.range()).and_then(|text| text.find(needle));
        inside.map_or(span, |at| span.part(at..at + needle.len()))
    }
}

impl Span {
    /// The range of bytes in its text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    /// A range of the same text, counted from this span's start.
    pub(crate) fn part(self, range: std::ops::Range<usize>) -> Self {
        Self { source: self.source, start: self.start + range.start, end: self.start + range.end }
    }

    /// Whether both lie in the same text.
    pub(super) fn same_source(self, other: Self) -> bool {
        self.source == other.source
    }
}
