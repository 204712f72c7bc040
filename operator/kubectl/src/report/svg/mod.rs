//! Charts as SVG: [`lines`], [`ranges`] and [`heat`], with [`scale`] for their axes. Colours are the page's, by class.

pub mod heat;
pub mod lines;
pub mod ranges;
pub mod scale;

/// The opening tag with its name and its words for those who do not see it. `form`: class and size.
pub fn opening(form: &str, id: &str, title: &str, description: &str) -> String {
    format!(
        "<svg {form} role=\"img\" aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>",
        escaped(title),
        escaped(description)
    )
}

/// So many letters of a name, escaped; all are in the table.
pub fn shortened(name: &str, longest: usize) -> String {
    let short: String = name.chars().take(longest).collect();
    let is_cut = name.chars().count() > longest;
    escaped(&short) + if is_cut { "…" } else { "" }
}

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
