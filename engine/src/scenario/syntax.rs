//! From TOML text to a tree with places.

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use super::code;
use super::fault::Fault;
use super::source::Span;
use super::tree::{Entry, Node, Table, Text, Value};

/// More than this many syntax errors of one text are not shown: most come from the first.
const SHOWN: usize = 20;

/// The tree of a document. `whole` is the span of `text`.
///
/// # Errors
/// Every place at which the text is not TOML.
pub(crate) fn document(text: &str, whole: Span) -> Result<Table, Vec<Fault>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut faults: Vec<_> = errors.iter().map(|error| syntax_fault(error, text, whole)).take(SHOWN).collect();
    let root = table(root.into_inner(), whole, &mut faults);
    if faults.is_empty() { Ok(root) } else { Err(faults) }
}

/// One value. `whole` is the span of `text`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn value(text: &str, whole: Span) -> Result<Node, Fault> {
    let parsed = DeValue::parse(text).map_err(|error| syntax_fault(&error, text, whole))?;
    let mut faults = Vec::new();
    let node = node(parsed, whole, &mut faults);
    faults.pop().map_or(Ok(node), Err)
}

/// The names of a dotted key with their places. `whole` is the span of `text`.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn dotted_key(text: &str, whole: Span) -> Result<Vec<(String, Span)>, Fault> {
    let assignment = format!("{text}=0");
    let root = DeTable::parse(&assignment).map_err(|error| syntax_fault(&error, text, whole))?;
    let (mut names, mut table) = (Vec::new(), root.into_inner());
    while let Some((key, value)) = std::mem::take(&mut table).into_iter().next() {
        names.push((key.get_ref().to_string(), whole.part(key.span())));
        if let DeValue::Table(inner) = value.into_inner() {
            table = inner;
        }
    }
    Ok(names)
}

fn syntax_fault(error: &Error, text: &str, whole: Span) -> Fault {
    let range = error.span().unwrap_or(0..0);
    let (start, end) = (range.start.min(text.len()), range.end.min(text.len()));
    let message = error.message();
    let fault =
        Fault::new(code::SYNTAX, format!("not valid TOML: {message}")).at(whole.part(start..end.max(start)), "here");
    if message.starts_with("string values must be quoted") {
        fault.hint("put strings in double quotes, durations too: duration = \"30s\"")
    } else if message.starts_with("duplicate key") {
        fault.hint("each key and each [table] is written once; entries of a list are written [[like.this]]")
    } else {
        fault
    }
}

fn table(table: DeTable<'_>, whole: Span, faults: &mut Vec<Fault>) -> Table {
    let mut entries: Vec<_> = table
        .into_iter()
        .map(|(key, value)| Entry {
            key_span: whole.part(key.span()),
            key: key.into_inner().into_owned(),
            node: node(value, whole, faults),
        })
        .collect();
    // The parser sorts by name; people wrote them in another order.
    entries.sort_by_key(|entry| entry.key_span);
    Table { entries }
}

fn node(value: Spanned<DeValue<'_>>, whole: Span, faults: &mut Vec<Fault>) -> Node {
    let span = whole.part(value.span());
    let value = match value.into_inner() {
        DeValue::String(text) => {
            let raw = text.into_owned();
            Value::Text(Text { value: raw.clone(), raw })
        }
        DeValue::Integer(integer) => {
            let parsed = i128::from_str_radix(integer.as_str(), integer.radix());
            Value::Integer(parsed.unwrap_or_else(|_| {
                faults.push(Fault::new(code::SYNTAX, "this integer is too large").at(span, "here"));
                0
            }))
        }
        DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(boolean) => Value::Boolean(boolean),
        DeValue::Datetime(datetime) => Value::Datetime(datetime.to_string()),
        DeValue::Array(array) => Value::Array(array.into_iter().map(|value| node(value, whole, faults)).collect()),
        DeValue::Table(inner) => Value::Table(table(inner, whole, faults)),
    };
    Node { span, value }
}
