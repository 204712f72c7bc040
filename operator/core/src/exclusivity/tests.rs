use super::*;
use crate::{
    testing::{PAIR_TCP, at, node, seen, valid},
    valid::RunUid,
};

fn claim(run: &str, client: &str, server: &str) -> Claim {
    Claim {
        run: RunUid::from(run),
        namespace: "default".to_owned(),
        holder: format!("lab/{run}"),
        nodes: NodePair {
            client: client.into(),
            server: server.into(),
        },
        created: Some(at(0)),
        client: false,
        deleting: false,
    }
}

fn waiter(run: &str, created: i64, manifest: &str) -> Waiter {
    Waiter {
        run: RunUid::from(run),
        namespace: "default".to_owned(),
        holder: format!("lab/{run}"),
        created: Some(at(created)),
        done: 0,
        test: valid(manifest),
    }
}

fn pinned(client: &str, server: &str) -> String {
    PAIR_TCP.replace(
        "spec:",
        &format!("spec:\n  client: {{nodeName: {client}}}\n  server: {{nodeName: {server}}}"),
    )
}

/// The turn of a run among nodes n1 to n4, as `client>server` or who it waits for.
fn told(manifest: &str, claims: Vec<Claim>, waiters: Vec<Waiter>) -> String {
    let mut seen = seen(manifest);
    seen.nodes = ["n1", "n2", "n3", "n4"].map(node).to_vec();
    (seen.claims, seen.waiters) = (claims, waiters);
    match turn(&valid(manifest), &seen) {
        Turn::Now(pair) => format!("{}>{}", pair.client, pair.server),
        Turn::Wait { why, .. } => why
            .replace("waiting for nodes that", "waits for")
            .replace(" uses or waits for", ""),
        Turn::NoPair { why } => why,
    }
}

#[test]
fn both_nodes_at_once_or_none() {
    assert_eq!(told(&pinned("n1", "n2"), vec![], vec![]), "n1>n2");
    for claimed in [
        claim("x", "n1", "n3"),
        claim("x", "n3", "n2"),
        claim("x", "n2", "n1"),
    ] {
        assert_eq!(
            told(&pinned("n1", "n2"), vec![claimed], vec![]),
            "waits for lab/x"
        );
    }
    assert_eq!(
        told(&pinned("n1", "n2"), vec![claim("x", "n3", "n4")], vec![]),
        "n1>n2"
    );
}

#[test]
fn a_free_choice_takes_free_nodes() {
    assert_eq!(
        told(PAIR_TCP, vec![claim("x", "n1", "n2")], vec![]),
        "n3>n4"
    );
    assert_eq!(
        told(PAIR_TCP, vec![claim("x", "n1", "n3")], vec![]),
        "n2>n4"
    );
    assert_eq!(
        told(
            PAIR_TCP,
            vec![claim("x", "n1", "n2"), claim("y", "n3", "n3")],
            vec![]
        ),
        "waits for lab/x"
    );
}

#[test]
fn first_come_first_served_over_the_nodes_that_are_wanted() {
    let (mine, other) = (pinned("n1", "n2"), pinned("n2", "n3"));
    assert_eq!(
        told(&mine, vec![], vec![waiter("x", -1, &other)]),
        "waits for lab/x"
    );
    assert_eq!(told(&mine, vec![], vec![waiter("x", 1, &other)]), "n1>n2");
    assert_eq!(
        told(&mine, vec![], vec![waiter("x", -1, &pinned("n3", "n4"))]),
        "n1>n2"
    );
    // Even when the older one cannot start yet: one that needs two nodes is not starved by those that need one.
    assert_eq!(
        told(
            &mine,
            vec![claim("y", "n3", "n3")],
            vec![waiter("x", -1, &other)]
        ),
        "waits for lab/x"
    );
    // An older run that has its nodes already does not wait.
    assert_eq!(
        told(
            &mine,
            vec![claim("x", "n3", "n4")],
            vec![waiter("x", -1, PAIR_TCP)]
        ),
        "n1>n2"
    );
    // Older free choices are given their nodes first, in order.
    assert_eq!(
        told(PAIR_TCP, vec![], vec![waiter("x", -1, PAIR_TCP)]),
        "n3>n4"
    );
    let two = vec![
        waiter("x", -1, PAIR_TCP),
        waiter("y", -2, &pinned("n1", "n3")),
    ];
    assert_eq!(told(PAIR_TCP, vec![], two), "waits for lab/y");
}

#[test]
fn an_older_run_that_fits_nowhere_blocks_nobody() {
    assert_eq!(
        told(
            PAIR_TCP,
            vec![],
            vec![waiter("x", -1, &pinned("gone", "n1"))]
        ),
        "n1>n2"
    );
}

#[test]
fn of_equal_age_the_uid_decides_for_both_alike() {
    let older = |uid: &str| {
        told(
            PAIR_TCP,
            vec![claim("z", "n1", "n2")],
            vec![waiter(uid, 0, PAIR_TCP)],
        )
    };
    assert_eq!(older("0"), "waits for lab/z");
    assert_eq!(older("f"), "n3>n4");
}

/// With one pair at a time nothing of a mesh is live between two of its pairs.
#[test]
fn a_mesh_that_has_measured_lets_others_go_first() {
    let mut seen = seen(PAIR_TCP);
    seen.nodes = ["n1", "n2"].map(node).to_vec();
    seen.waiters = vec![waiter("x", 5, PAIR_TCP)];
    assert!(
        matches!(turn(&valid(PAIR_TCP), &seen), Turn::Now(_)),
        "the older one"
    );
    seen.run.done = 1;
    assert!(matches!(turn(&valid(PAIR_TCP), &seen), Turn::Wait { .. }));
    // Of two meshes the one that has measured less.
    seen.waiters[0].done = 2;
    assert!(matches!(turn(&valid(PAIR_TCP), &seen), Turn::Now(_)));
}
