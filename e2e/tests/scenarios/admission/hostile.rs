//! Texts that are meant for a shell, a flag parser, a path or a log: none is taken, and nothing is started.

use anyhow::{Result, ensure};
use nettest_e2e::{Namespace, manifest::net_test};

const TEXTS: &[&str] = &[
    "-F /etc/passwd",
    "--logfile=/tmp/x",
    "$(reboot)",
    "a;reboot",
    "a\\nb",
    "a\\0b",
    "\\e[2J",
    "../../etc/passwd",
    "{{ .Values.x }}",
    "\\u202etxt",
];

/// Fields of a spec that hold text; `TEXT` is where.
const FIELDS: &[&str] = &[
    "client: {nodeName: TEXT}",
    "client: {nodeSelector: {TEXT: a}}",
    "server: {nodeSelector: {a: TEXT}}",
    "server: {tolerations: [{key: TEXT}]}",
    "topology: {type: External, external: {host: TEXT}}",
    "topology: {type: Mesh, mesh: {nodeSelector: {TEXT: a}}}",
    "traffic: {congestionControl: TEXT}",
    "sweep: {congestionControls: [cubic, TEXT]}",
    "thresholds: [{name: TEXT, metric: Throughput, min: 1}]",
    "thresholds: [{name: a, metric: Throughput, min: 1, variant: TEXT}]",
    "schedule: {cron: \"0 3 * * *\", timeZone: TEXT}",
];

#[tokio::test]
async fn hostile_texts_are_refused_and_start_nothing() -> Result<()> {
    Namespace::with("hostile", async |ns| {
        let create = ns.kubectl("create -f -");
        let mut taken = Vec::new();
        for text in TEXTS {
            for field in FIELDS {
                let spec = field.replace("TEXT", &format!("\"{text}\""));
                let manifest = net_test("hostile", &spec);
                if create.clone().input(manifest).output().await?.success {
                    taken.push(spec);
                }
            }
        }
        ensure!(taken.is_empty(), "taken:\n{}", taken.join("\n"));
        let pods = ns.kubectl("get pods -o name").run().await?;
        ensure!(pods.trim().is_empty(), "started: {pods}");
        Ok(())
    })
    .await
}
