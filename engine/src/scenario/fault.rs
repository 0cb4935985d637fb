//! What is wrong with a scenario, and how that is shown.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::source::{Sources, Span};

/// One thing that is wrong, with the place where it is and what to do about it.
///
/// Boxed, so that a result that may hold one stays small.
#[derive(Clone, Debug)]
pub struct Fault(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    warning: bool,
    code: &'static str,
    message: String,
    at: Option<(Span, String)>,
    also: Vec<(Span, String)>,
    hints: Vec<String>,
}

impl Fault {
    /// A fault that refuses the scenario. `code` is a stable name such as `scenario.unknown_key`.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Parts { warning: false, code, message, at: None, also: Vec::new(), hints: Vec::new() }))
    }

    /// Something that is likely a mistake but refuses nothing.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        let mut fault = Self::new(code, message);
        fault.0.warning = true;
        fault
    }

    /// Where it is, with a few words to stand beside the caret.
    #[must_use]
    pub fn at(mut self, span: Span, label: impl Into<String>) -> Self {
        self.0.at = Some((span, label.into()));
        self
    }

    /// Another place that has to do with it.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.0.also.push((span, label.into()));
        self
    }

    /// What to do, or what there is.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hints.push(hint.into());
        self
    }

    /// Each of its texts in one line: what they quote of the scenario may hold line ends, and would then look like more
    /// faults than there are.
    pub(super) fn in_lines(mut self) -> Self {
        let Parts { message, at, also, hints, .. } = &mut *self.0;
        let labels = at.iter_mut().chain(also).map(|(_, label)| label);
        for text in labels.chain(hints).chain([message]) {
            if text.contains(char::is_control) {
                let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
                *text = text.chars().map(shown).collect();
            }
        }
        self
    }

    /// Its stable name.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// What is wrong, in one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The place it points at.
    pub fn span(&self) -> Option<Span> {
        self.0.at.as_ref().map(|(span, _)| *span)
    }

    /// Whether it only warns.
    pub fn is_warning(&self) -> bool {
        self.0.warning
    }

    fn group<'a>(&'a self, sources: &'a Sources) -> Group<'a> {
        let level = if self.0.warning { Level::WARNING } else { Level::ERROR };
        let mut group = Group::with_title(level.primary_title(self.0.message.as_str()).id(self.0.code));
        if let Some((place, label)) = &self.0.at {
            let main = AnnotationKind::Primary.span(place.range()).label(label.as_str());
            let (inside, outside): (Vec<_>, Vec<_>) =
                self.0.also.iter().partition(|(span, _)| span.same_source(*place));
            let others =
                inside.iter().map(|(span, label)| AnnotationKind::Context.span(span.range()).label(label.as_str()));
            group = group.element(snippet(sources, *place).annotation(main).annotations(others));
            for (span, label) in outside {
                let other = AnnotationKind::Context.span(span.range()).label(label.as_str());
                group = group.element(snippet(sources, *span).annotation(other));
            }
        }
        group.elements(self.0.hints.iter().map(|hint| Level::HELP.message(hint.as_str())))
    }
}

fn snippet(sources: &Sources, span: Span) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(sources.text(span)).path(sources.name(span))
}

/// All that is wrong with a scenario, with the texts in which it is.
#[derive(Clone, Debug)]
pub struct Faults {
    sources: Arc<Sources>,
    list: Vec<Fault>,
}

impl Faults {
    /// These faults in these texts, sorted by place: those without one first, then those of the file.
    pub fn new(sources: Arc<Sources>, mut list: Vec<Fault>) -> Self {
        list.sort_by_key(Fault::span);
        Self { sources, list }
    }

    /// One by one.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.list.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// As text for people: each with its place, an excerpt and a caret; with ANSI colours where `coloured`.
    pub fn render(&self, coloured: bool) -> String {
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
        let texts: Vec<_> = self.list.iter().map(|fault| renderer.render(&[fault.group(&self.sources)])).collect();
        // The renderer shows the control characters of ASCII in what it quotes, and not those above it.
        texts.join("\n\n").replace(|c: char| ('\u{80}'..='\u{9f}').contains(&c), "\u{fffd}")
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.render(false))
    }
}

impl std::error::Error for Faults {}
