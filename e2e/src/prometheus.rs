//! The real Prometheus, asked with promtool.

use crate::command::Command;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// One series at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub labels: BTreeMap<String, String>,
    pub value: f64,
}

#[derive(Deserialize)]
struct Raw {
    metric: BTreeMap<String, String>,
    /// Time, and the value as text.
    value: (f64, String),
}

#[derive(Deserialize)]
struct RawRange {
    values: Vec<(f64, String)>,
}

/// An instant query.
pub async fn query(expression: &str) -> Result<Vec<Sample>> {
    let answer = promtool(&["instant", "-o", "json"], &[expression]).await?;
    let raw: Vec<Raw> =
        serde_json::from_str(&answer).with_context(|| format!("{expression}: {answer}"))?;
    raw.into_iter()
        .map(|raw| {
            Ok(Sample {
                labels: raw.metric,
                value: raw.value.1.parse()?,
            })
        })
        .collect()
}

/// All values of all series over the time before now, a second apart.
pub async fn query_range(expression: &str, before: Duration) -> Result<Vec<f64>> {
    let end = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let [start, end] = [end.saturating_sub(before), end].map(|time| time.as_secs());
    let [start, end] = [format!("--start={start}"), format!("--end={end}")];
    let flags = ["range", "-o", "json", "--step=1s", &start, &end];
    let answer = promtool(&flags, &[expression]).await?;
    let raw: Vec<RawRange> =
        serde_json::from_str(&answer).with_context(|| format!("{expression}: {answer}"))?;
    let values = raw.iter().flat_map(|series| &series.values);
    Ok(values
        .map(|(_, value)| value.parse())
        .collect::<Result<_, _>>()?)
}

/// The values of a label among the series that match.
pub async fn label_values(series: &str, label: &str) -> Result<Vec<String>> {
    let answer = promtool(&["labels", &format!("--match={series}")], &[label]).await?;
    Ok(answer.lines().map(str::to_owned).collect())
}

/// An alerting rule, as Prometheus has it.
#[derive(Debug, Deserialize)]
pub struct Rule {
    pub name: String,
    /// `unknown` before its first evaluation, `ok` or `err`.
    pub health: String,
    #[serde(rename = "lastError", default)]
    pub last_error: String,
}

/// All that it evaluates. promtool has no word for it.
pub async fn rules() -> Result<Vec<Rule>> {
    #[derive(Deserialize)]
    struct Answer {
        data: Data,
    }
    #[derive(Deserialize)]
    struct Data {
        groups: Vec<Group>,
    }
    #[derive(Deserialize)]
    struct Group {
        rules: Vec<Rule>,
    }
    let server = server()?;
    let address = server.strip_prefix("http://").unwrap_or(&server);
    let mut stream = TcpStream::connect(address).await?;
    // HTTP 1.0: the answer ends with the connection, and has no chunks.
    let request = format!("GET /api/v1/rules HTTP/1.0\r\nhost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    let answer: Answer = serde_json::from_str(body).with_context(|| body.to_owned())?;
    let groups = answer.data.groups.into_iter();
    Ok(groups.flat_map(|group| group.rules).collect())
}

fn server() -> Result<String> {
    std::env::var("NETTEST_CLUSTER_PROMETHEUS")
        .context("NETTEST_CLUSTER_PROMETHEUS is not set: run `make e2e`")
}

/// `promtool query` with these flags; `arguments` come after the server's address.
async fn promtool(flags: &[&str], arguments: &[&str]) -> Result<String> {
    let server = server()?;
    Command::line("promtool query")
        .args(flags.iter().copied())
        .arg(server)
        .args(arguments.iter().copied())
        .run()
        .await
}
