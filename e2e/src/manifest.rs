//! Manifests as users write them.

/// A NetTest; `spec` is YAML, written from its first column.
pub fn net_test(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: {name}}}\nspec:\n{}",
        indented(spec, 2)
    )
}

/// One TCP measurement of `seconds` between two nodes: the least that a scenario needs.
pub fn short(name: &str, seconds: u32) -> String {
    net_test(name, &short_spec(seconds))
}

/// The spec of [`short`], to add to.
pub fn short_spec(seconds: u32) -> String {
    format!("traffic: {{duration: {seconds}s}}\nrepeats: {{count: 1}}\n")
}

/// A pair on fixed nodes, for scenarios that look at one of them.
pub fn on_nodes(client: &str, server: &str, rest: &str) -> String {
    format!("client: {{nodeName: {client}}}\nserver: {{nodeName: {server}}}\n{rest}")
}

/// Both ends on CPUs of their own; client on node1, server on node2.
pub fn pinned(name: &str, seconds: u32, rest: &str) -> String {
    net_test(
        name,
        &format!(
            "client: {{nodeName: node1, cpu: {{mode: Exclusive}}}}\n\
             server: {{nodeName: node2, cpu: {{mode: Exclusive}}}}\n{}{rest}",
            short_spec(seconds)
        ),
    )
}

fn indented(text: &str, columns: usize) -> String {
    text.lines()
        .map(|line| format!("{:columns$}{line}\n", ""))
        .collect()
}
