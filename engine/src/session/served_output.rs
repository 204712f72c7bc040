//! The server's output for a client that asked for it (`--get-server-output`), cut to what the client takes.

use nettest_report::report::ServerOutput;
use serde_json::{Value, json};

/// Clients of ours take 16 MiB of results (`SERVER_RESULTS_CAP`), which are mostly this.
pub const LARGEST: usize = 12 << 20;

const CUT: &str = "\n(cut here: too long for the exchange of results)\n";

/// A document loses its rows, a text its end: without them the results would be refused as a whole.
pub fn fitting(output: ServerOutput, most: usize) -> ServerOutput {
    match output {
        ServerOutput::Json(mut document) => {
            if document.to_string().len() > most
                && let Value::Object(keys) = &mut document
            {
                keys.insert("intervals".to_owned(), json!([]));
            }
            ServerOutput::Json(document)
        }
        // Line ends take two bytes in JSON; other text of rows takes one each.
        ServerOutput::Text(text) if text.len() + text.matches('\n').count() > most => {
            let most = most.saturating_mul(9) / 10;
            let whole = text.lines().scan(0, |end, line| {
                *end += line.len() + 1;
                (*end <= most).then_some(line)
            });
            let kept: Vec<&str> = whole.collect();
            ServerOutput::Text(kept.join("\n") + CUT)
        }
        output => output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_as_it_is() {
        let text = ServerOutput::Text("row\nrow\n".to_owned());
        assert_eq!(fitting(text.clone(), 10), text);
        let document = ServerOutput::Json(json!({"intervals": [1], "end": {}}));
        assert_eq!(fitting(document.clone(), LARGEST), document);
    }

    /// 128 streams and ten minutes are 20 MB of rows.
    #[test]
    fn a_long_document_keeps_all_but_its_rows() {
        let rows: Vec<Value> = (0..1000).map(|n| json!({"sum": {"bytes": n}})).collect();
        let document = json!({"start": {"a": 1}, "intervals": rows, "end": {"b": 2}});
        let fitted = fitting(ServerOutput::Json(document), 1000);
        let left = json!({"start": {"a": 1}, "intervals": [], "end": {"b": 2}});
        assert_eq!(fitted, ServerOutput::Json(left));
    }

    #[test]
    fn a_long_text_says_where_it_was_cut() {
        let fitted = fitting(ServerOutput::Text("Täter\n".repeat(1000)), 1000);
        let ServerOutput::Text(text) = fitted else {
            panic!("still a text");
        };
        let shown: Vec<&str> = text.lines().collect();
        assert_eq!(shown[..128], ["Täter"; 128], "whole lines");
        assert!(text.ends_with(CUT) && text.len() < 1000, "{}", text.len());
    }
}
