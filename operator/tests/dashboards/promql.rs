//! The names in a PromQL expression. Not a parser: that an expression is valid, the real Prometheus says on the cluster.

use std::collections::BTreeSet;

#[derive(Debug, PartialEq, Eq)]
pub struct Selector {
    pub metric: String,
    pub matched: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Names {
    pub series: Vec<Selector>,
    /// Labels of by, on, ignoring, without and label_values.
    pub grouped: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Text,
    Other(char),
}

pub fn selectors(expression: &str) -> Names {
    let tokens = tokens(expression);
    let mut names = Names::default();
    let mut at = 0;
    while at < tokens.len() {
        let Token::Word(word) = &tokens[at] else {
            at += 1;
            continue;
        };
        let next = tokens.get(at + 1);
        match word.as_str() {
            "by" | "on" | "ignoring" | "without" | "group_left" | "group_right"
                if next == Some(&Token::Other('(')) =>
            {
                let end = until(&tokens, at + 1, ')');
                names.grouped.extend(words(&tokens[at + 1..end]));
                at = end;
            }
            "or" | "and" | "unless" | "bool" | "offset" => at += 1,
            "label_values" => {
                // label_values(SERIES, LABEL)
                let last = words(&tokens[at..]).pop();
                names.grouped.extend(last);
                at += 1;
            }
            _ if next == Some(&Token::Other('(')) => at += 1,
            // An aggregation whose grouping comes first.
            "sum" | "min" | "max" | "avg" | "count" | "topk" | "bottomk" | "quantile" => at += 1,
            _ if next == Some(&Token::Other('{')) => {
                let end = until(&tokens, at + 1, '}');
                let inside = &tokens[at + 1..end];
                names.series.push(Selector {
                    metric: word.clone(),
                    matched: words(inside),
                });
                at = end;
            }
            _ if names.grouped.contains(word) => at += 1,
            _ => {
                names.series.push(Selector {
                    metric: word.clone(),
                    matched: Vec::new(),
                });
                at += 1;
            }
        }
    }
    names
}

fn until(tokens: &[Token], from: usize, close: char) -> usize {
    let rest = tokens[from..].iter();
    let found = rest.clone().position(|token| *token == Token::Other(close));
    from + found.expect("what opens is closed")
}

fn words(tokens: &[Token]) -> Vec<String> {
    let word = |token: &Token| match token {
        Token::Word(word) => Some(word.clone()),
        Token::Text | Token::Other(_) => None,
    };
    tokens.iter().filter_map(word).collect()
}

/// Words that are names, texts in quotes, and single other characters. Numbers and ranges (`[5m]`) are left out.
fn tokens(expression: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut rest = expression.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                while let Some(c) = rest.next() {
                    match c {
                        '\\' => drop(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
                out.push(Token::Text);
            }
            '[' => while rest.next().is_some_and(|c| c != ']') {},
            c if c.is_ascii_alphanumeric() || c == '_' || c == ':' => {
                let mut word = String::from(c);
                while let Some(c) =
                    rest.next_if(|c| c.is_ascii_alphanumeric() || "_:.".contains(*c))
                {
                    word.push(c);
                }
                if !c.is_ascii_digit() {
                    out.push(Token::Word(word));
                }
            }
            c if c.is_whitespace() => {}
            c => out.push(Token::Other(c)),
        }
    }
    out
}

#[test]
fn names_are_told_from_functions_labels_and_texts() {
    let found = selectors(
        "topk(5, max by (a, b) (one{c=~\"$c\", d!=\"sum(no{e=1})\"}) * 8) or 0 * count(two) / on (f) rate(three[5m])",
    );
    let series: Vec<_> = found
        .series
        .iter()
        .map(|s| format!("{} {:?}", s.metric, s.matched))
        .collect();
    assert_eq!(series, ["one [\"c\", \"d\"]", "two []", "three []"]);
    assert_eq!(
        found.grouped.into_iter().collect::<Vec<_>>(),
        ["a", "b", "f"]
    );
    let found = selectors("label_values(one{a=\"x\"}, b)");
    assert_eq!(found.series.len(), 1);
    assert!(found.grouped.contains("b"));
}
