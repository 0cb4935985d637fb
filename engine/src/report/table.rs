//! Aligned Markdown tables, and texts made safe for them.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, ContentArrangement, Table};

/// What stands for a figure that has no samples.
pub(crate) const NONE: &str = "n/a";

/// A table whose first `left` columns hold texts and the others figures.
pub(crate) fn table(left: usize, headers: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headers).add_rows(rows);
    for column in table.column_iter_mut().skip(left) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// A text of the user's or a plugin's: without control characters, line ends, characters that turn the direction of
/// writing, and the bar that ends a cell.
pub(crate) fn plain(text: &str) -> String {
    let harmless = text.chars().map(|character| if is_harmful(character) { ' ' } else { character });
    harmless.collect::<String>().replace('|', "\\|").trim().to_owned()
}

/// The same as code, so that nothing in it is taken for Markdown or HTML.
pub(crate) fn code(text: &str) -> String {
    let text = plain(text).replace('`', "'");
    if text.is_empty() { String::new() } else { format!("`{text}`") }
}

fn is_harmful(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}
