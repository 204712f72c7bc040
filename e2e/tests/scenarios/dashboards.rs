//! Every query of every panel returns data from the real Prometheus after real tests.

use anyhow::{Context, Result, ensure};
use nettest_e2e::{
    Namespace,
    dashboard::{Selection, shipped},
    link::shaped,
    manifest::{net_test, on_nodes, short_spec},
    namespace::{HOST_NETWORK, Level},
    seconds,
    until::{Seen, until},
};

/// Panels that are rightly empty here: dashboard, title, why.
const MAY_BE_EMPTY: [(&str, &str, &str); 1] = [(
    "nettest-operator",
    "Failed passes",
    "an operator without failed passes has no series of them, and this one need not have had any",
)];

#[tokio::test]
async fn every_query_of_every_panel_returns_data() -> Result<()> {
    // The one namespace whose tests may take the host's network, too.
    Namespace::named(HOST_NETWORK, Level::Privileged, async |ns| {
        // TCP and UDP, pods and hosts; the other one waits in the queue meanwhile, and has a next run.
        let sweep = format!(
            "sweep: {{protocols: [TCP, UDP], paths: [PodIP, Host]}}\ntraffic: {{duration: 1s, bitrate: 50M}}\n{}",
            "repeats: {count: 2, pause: 0s}\n"
        );
        ns.apply(&net_test("sweep", &on_nodes("node1", "node2", &sweep))).await?;
        let yearly = format!("schedule: {{cron: '0 3 1 1 *'}}\nrerun: now\n{}", short_spec(1));
        ns.apply(&net_test("yearly", &on_nodes("node1", "node2", &yearly))).await?;
        ns.succeeds("sweep", seconds(90)).await?;
        ns.succeeds("yearly", seconds(60)).await?;
        let nowhere = format!("server: {{nodeName: node9}}\nlimits: {{scheduleTimeout: 5s}}\n{}", short_spec(1));
        ns.apply(&net_test("nowhere", &nowhere)).await?;
        ns.fails("nowhere", "Unschedulable", seconds(30)).await?;
        // Node3 is slow: suspects, and a threshold that is missed.
        let mesh = format!(
            "topology: {{type: Mesh}}\nthresholds: [{{name: rate, metric: Throughput, min: 50M}}]\n{}",
            short_spec(1)
        );
        shaped(&ns.cluster, "node3", "20mbit", async || {
            ns.apply(&net_test("mesh", &mesh)).await?;
            ns.fails("mesh", "ThresholdNotMet", seconds(120)).await?;
            Ok(())
        })
        .await?;

        let dashboards = shipped("nettest-system").await?;
        let of_sweep = [("namespace", ns.name.as_str()), ("nettest", "sweep")];
        let of_mesh = [
            ("namespace", ns.name.as_str()),
            ("nettest", "mesh"),
            ("variant", "tcp-p1"),
            ("direction", "ClientToServer"),
        ];
        let chosen: [(&str, &[(&str, &str)]); 4] = [
            ("nettest-overview", &[]),
            ("nettest-pair", &of_sweep),
            ("nettest-mesh", &of_mesh),
            ("nettest-operator", &[]),
        ];
        let names: Vec<&str> = dashboards.keys().map(String::as_str).collect();
        ensure!(names.len() == chosen.len(), "{names:?}");
        let mut asked = 0;
        for (uid, one) in chosen {
            let dashboard = dashboards.get(uid).with_context(|| format!("{uid} is not among {names:?}"))?;
            for several in [Selection::All, Selection::Each] {
                // Prometheus scrapes once a second: the mesh's figures may not be there yet.
                until(&format!("data in every panel of {uid}, {several:?}"), seconds(30), async || {
                    let queries = dashboard.queries(one, several).await?;
                    let mut empty = Vec::new();
                    for query in &queries {
                        let excused = MAY_BE_EMPTY.iter().any(|(of, panel, _)| *of == uid && *panel == query.panel);
                        if query.values().await?.is_empty() && !excused {
                            empty.push(format!("{}: {}", query.panel, query.expression));
                        }
                    }
                    asked += queries.len();
                    Ok(Seen::when(empty.is_empty() && !queries.is_empty(), || empty.join("\n")))
                })
                .await?;
            }
        }
        eprintln!("{asked} queries asked");
        Ok(())
    })
    .await
}
