//! The example of the fast paths: what the engine is asked, what was in force, and why it was no more.

use crate::{SERVER, Scene};

/// A client that ends with a whole digest of three repeats at 20 Gbit/s, `facts` the host facts of both ends.
fn measured(facts: &str) -> String {
    let host = format!(
        r#"{{"hostname":"here","allowedCpus":"0-1","allowedCpuCount":2,"onlineCpuCount":2,{facts}}}"#
    );
    let rates = "[20000000000,20000000000,20000000000]";
    let figures = format!(
        r#"{{"variant":"tcp-p1","flow":"ClientToServer","sentBitsPerSecond":{rates},"receivedBitsPerSecond":{rates},"sentBytes":{rates},"receivedBytes":{rates},"retransmits":[0,0,0],"rttMicroseconds":[50,50,50],"clientCPUMilli":[600,600,600],"serverCPUMilli":[500,500,500]}}"#
    );
    format!(
        r#"echo '{{"event":"digest","data":{{"version":1,"run":"'$(value --run-uid)'","attempt":1,"outcome":"Complete","figures":[{figures}],"clientHost":{host},"serverHost":{host}}}}}'"#
    )
}

fn example() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/fast-paths.yaml"
    );
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn what_was_in_force_is_named_and_what_held_it_said() {
    let client = measured(
        r#""qdisc":"noqueue","sockets":{"congestion":"bbr","mss":1448,"zerocopy":true,"skipRxCopy":true}"#,
    );
    let scene = Scene::with(&example(), SERVER, &client);
    let said = scene.run(&["-o", "wide"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for word in [
        "ZeroCopy,SkipReceiveCopy",
        "bbr",
        "noqueue",
        "why: PacingLimited: the client sent with bbr",
        "traffic.congestionControl",
    ] {
        assert!(said.out.contains(word), "{word}: {said:?}");
    }
    let starts = scene.starts();
    let client = starts.iter().find(|start| start.contains(" -c ")).unwrap();
    assert!(client.ends_with(" --fast"), "{starts:?}");

    let said = scene.run(&["-q", "-o", "json"]);
    let object: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let status = &object["status"];
    let result = &status["results"][0];
    assert_eq!(
        result["fastPaths"],
        serde_json::json!(["ZeroCopy", "SkipReceiveCopy"])
    );
    assert_eq!(result["congestionControl"], "bbr");
    assert_eq!(result["serverQdisc"], "noqueue");
    assert_eq!(result["fairnessPPM"], serde_json::Value::Null);
    assert_eq!(status["diagnosis"][0]["reason"], "PacingLimited");
    // A passed test has its reason all the same: nobody asked for more than it reached.
    assert_eq!(status["verdict"], "Passed");
}

#[test]
fn what_is_not_known_is_not_said() {
    for facts in [
        r#""sockets":{}"#,
        r#""qdisc":"fq","sockets":{"congestion":"bbr","mss":1448}"#,
        r#""qdisc":"noqueue","sockets":{"congestion":"cubic","mss":1448}"#,
    ] {
        let said = Scene::with(&example(), SERVER, &measured(facts)).run(&[]);
        assert_eq!(said.code, Some(0), "{said:?}");
        assert!(
            !said.out.contains("why:") && !said.out.contains("FAST PATHS"),
            "{facts}: {said:?}"
        );
    }
}

#[test]
fn a_contradiction_starts_nothing() {
    let manifest = example().replace("protocol: TCP", "protocol: UDP\n    zeroCopy: true");
    let scene = Scene::with(&manifest, SERVER, "exit 1");
    let said = scene.run(&[]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.out.contains("InvalidSpec") && said.out.contains("traffic.zeroCopy is TCP's"),
        "{said:?}"
    );
    assert_eq!(scene.starts(), [""; 0]);
}
