//! Charts as SVG: [`lines`], [`ranges`] and [`heat`], with [`scale`] for their axes. Colours are the page's, by class.

pub mod heat;
pub mod lines;
pub mod ranges;
pub mod scale;

/// As text and in attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not allowed in XML 1.0.
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
