//! Runs that want the same nodes at once, with an API server that takes its time: one uses them, the rest waits.

use crate::{
    controller::{context::Context, net_test_run::reconcile},
    fake_cluster::Cluster,
    scenario,
};
use futures::future::join_all;
use nettest_api::result::Verdict;
use std::{sync::Arc, time::Duration};

/// Pass over a run until it is done and its pods are gone.
async fn finish(cluster: &Cluster, operator: &Arc<Context>, name: &str) {
    loop {
        let run = cluster.run(name);
        let ended = run.status.as_ref().is_some_and(|s| s.verdict.is_some());
        if ended && !cluster.has_pods(name) {
            return;
        }
        // A failed pass (a conflict, a time-out) is made good by one of the next.
        let _ = reconcile(Arc::new(run), operator.clone()).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// All runs at once, by each of the operators; every one is measured, once, and no client meets another's.
async fn all_finish(cluster: &Cluster, operators: usize) {
    let operators: Vec<_> = (0..operators)
        .map(|_| scenario::context(cluster.client()))
        .collect();
    let names = cluster.names();
    let all = operators.iter().flat_map(|operator| {
        names
            .iter()
            .map(move |name| finish(cluster, operator, name))
    });
    tokio::time::timeout(Duration::from_secs(600), join_all(all))
        .await
        .expect("a waiting run starts when the nodes are free");
    for name in &names {
        let status = cluster.run(name).status.unwrap();
        assert_eq!(status.verdict, Some(Verdict::Passed), "{name}: {status:#?}");
    }
    let mut ends = cluster.ends();
    ends.sort();
    assert_eq!(ends, names, "each run ends once");
    assert_eq!(cluster.undone(), [""; 0]);
    assert_eq!(cluster.met("client"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn passes_in_parallel_never_claim_a_node_twice() {
    let cluster = Cluster::with_runs(6);
    all_finish(&cluster, 1).await;
    // Not even for a moment: the barrier holds from the list to the create.
    assert_eq!(cluster.met("server"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_old_leader_that_still_writes_disturbs_no_measurement() {
    let cluster = Cluster::with_runs(4);
    all_finish(&cluster, 2).await;
    // Two operators have two barriers, so the test is worth something only when servers did meet.
    assert_ne!(cluster.met("server"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_create_that_takes_effect_after_we_gave_up_disturbs_no_measurement() {
    let cluster = Cluster::with_runs(3).late(Duration::from_secs(22));
    all_finish(&cluster, 1).await;
    assert_ne!(cluster.met("server"), [""; 0]);
}
