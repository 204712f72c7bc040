//! The rows of what client pods measure, from their logs, with the rights of whoever asks.

use super::{
    client::Connection,
    problem::{Asked, Problem},
};
use crate::show::live::Live;
use futures::{AsyncBufReadExt, StreamExt, TryStreamExt, stream::FuturesUnordered};
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, ResourceExt,
    api::{ListParams, LogParams},
};
use nettest_api::labels;
use nettest_core::pod::CONTAINER;
use nettest_report::event::Event;
use std::{collections::BTreeSet, sync::Mutex, time::Duration};

/// How often new client pods are looked for.
const PAUSE: Duration = Duration::from_millis(700);
/// Logs that are read at a time: of more pairs nobody could read the rows.
const MOST: usize = 8;

/// Gives each row to `print`, until it is dropped or may not go on.
pub async fn follow(
    connection: &Connection,
    namespace: &str,
    selector: &str,
    print: &dyn Fn(&str),
) -> Problem {
    let pods: Api<Pod> = Api::namespaced(connection.client.clone(), namespace);
    let asked = |verb, resource| Asked {
        verb,
        resource,
        kind: "Pod",
        name: None,
        namespace,
        server: &connection.server,
    };
    let clients = format!("{selector},{}=client", labels::ROLE);
    let params = ListParams::default().labels(&clients);
    let live = Mutex::new(Live::default());
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut logs = FuturesUnordered::new();
    loop {
        match pods.list(&params).await {
            Ok(list) => {
                for pod in list.items {
                    let name = pod.name_any();
                    let running = pod
                        .status
                        .as_ref()
                        .and_then(|status| status.phase.as_deref());
                    let has_log = matches!(running, Some("Running" | "Succeeded" | "Failed"));
                    if has_log && logs.len() < MOST && known.insert(name.clone()) {
                        logs.push(rows(&pods, pod, &live, print));
                    }
                }
            }
            Err(error @ kube::Error::Api(_)) => return asked("list", "pods").problem(&error),
            // A connection that was lost is tried again.
            Err(_) => {}
        }
        let pause = tokio::time::sleep(PAUSE);
        tokio::pin!(pause);
        loop {
            tokio::select! {
                () = &mut pause => break,
                Some(ended) = logs.next(), if !logs.is_empty() => {
                    if let Err(error @ kube::Error::Api(_)) = &ended
                        && let kube::Error::Api(status) = error
                        && status.code == 403
                    {
                        return asked("get", "pods/log").problem(error);
                    }
                }
            }
        }
    }
}

async fn rows(
    pods: &Api<Pod>,
    pod: Pod,
    live: &Mutex<Live>,
    print: &dyn Fn(&str),
) -> Result<(), kube::Error> {
    let label = |key: &str| pod.labels().get(key).cloned().unwrap_or_default();
    let pair = pod.labels().contains_key(labels::PAIR).then(|| {
        format!(
            "{} -> {}",
            label(labels::CLIENT_NODE),
            label(labels::SERVER_NODE)
        )
    });
    let params = LogParams {
        container: Some(CONTAINER.to_owned()),
        follow: true,
        ..LogParams::default()
    };
    let stream = pods.log_stream(&pod.name_any(), &params).await?;
    let mut lines = stream.lines();
    // An end of the stream is an end: what was missed is in the result.
    while let Ok(Some(line)) = lines.try_next().await {
        let Some(event) = Event::parse(&line) else {
            continue;
        };
        let text = live
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .text(pair.as_deref(), &event);
        if let Some(text) = text {
            print(&text);
        }
    }
    Ok(())
}
