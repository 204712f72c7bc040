//! `topology.type: External` on one machine: the client alone, against whatever answers at the other end.

use crate::{SERVER, Scene};

fn test(host: &str) -> String {
    format!(
        "apiVersion: nettest.dev/v1alpha1\nkind: NetTest\nmetadata: {{name: a}}\nspec:\n  topology: {{type: External, external: {{host: {host}, port: 5299}}}}\n  traffic: {{duration: 1s}}\n  repeats: {{count: 1}}\n"
    )
}

#[test]
fn there_is_a_client_and_no_server_and_no_token() {
    let scene = Scene::with(&test("localhost"), SERVER, "digest 2000000000");
    let said = scene.run(&[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let starts = scene.starts();
    let [client] = starts.as_slice() else {
        panic!("{starts:?}");
    };
    // By its address: the name was looked up once.
    assert!(
        client.contains(" -c 127.0.0.1 -p 5299 ") || client.contains(" -c ::1 -p 5299 "),
        "{client}"
    );
    assert!(client.contains(" none "), "{client}");
}

#[test]
fn what_does_not_answer_is_named_and_no_server_of_ours_is_blamed() {
    let scene = Scene::with(&test("127.0.0.1"), SERVER, "failed PeerUnreachable; exit 3");
    let said = scene.run(&["-q"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.out.contains("a: ERROR (PeerUnreachable): it said so"),
        "{said:?}"
    );
}

#[test]
fn a_name_without_an_address_starts_nothing() {
    // Never in the DNS (RFC 2606, 2).
    let scene = Scene::with(&test("nobody.invalid"), SERVER, "exit 1");
    let said = scene.run(&["-q"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.out.contains("(NameNotResolved)")
            && said.out.contains("nobody.invalid has no address"),
        "{said:?}"
    );
    assert_eq!(scene.starts(), [""; 0]);
}
