//! Logins (iperf3's `--username` and `--rsa-private-key-path`) between our ends.

use crate::raw::{COOKIE, Raw};
use crate::run::{Server, engine, free_port, text, wait};
use crate::uninterrupted::uninterrupted;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// mario, rossi: the example of iperf3's manual.
const USERS: &str =
    "# who may test\nmario,bf7a49a846d44b454a5d11e7acfaf13d138bbe0b7483aa3e050879700572709b\n";

pub struct Keys(TempDir);

impl Keys {
    /// As iperf3's manual makes them.
    pub fn new() -> Keys {
        let dir = tempfile::tempdir().expect("a folder");
        let keys = Keys(dir);
        openssl(&["genrsa", "-out", &keys.file("private.pem"), "2048"]);
        let (private, public) = (keys.file("private.pem"), keys.file("public.pem"));
        openssl(&["rsa", "-in", &private, "-pubout", "-out", &public]);
        openssl(&[
            "rsa",
            "-in",
            &private,
            "-traditional",
            "-out",
            &keys.file("pkcs1.pem"),
        ]);
        std::fs::write(keys.file("users.csv"), USERS).expect("written");
        keys
    }

    pub fn file(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    pub fn server(&self, key: &str) -> String {
        format!(
            "--rsa-private-key-path {} --authorized-users-path {}",
            self.file(key),
            self.file("users.csv")
        )
    }

    pub fn client(&self, user: &str) -> String {
        format!(
            "--username {user} --rsa-public-key-path {}",
            self.file("public.pem")
        )
    }
}

fn openssl(args: &[&str]) {
    let output = Command::new("openssl")
        .args(args)
        .output()
        .expect("openssl is on the PATH");
    assert!(output.status.success(), "{}", text(&output.stderr));
}

pub fn client(program: &Path, port: u16, flags: &str, password: &str) -> Output {
    let child = Command::new(program)
        .args([
            "-c",
            "127.0.0.1",
            "-t",
            "1",
            "-b",
            "1M",
            "-p",
            &port.to_string(),
        ])
        .args(flags.split_whitespace())
        .env_remove("NETTEST_RUN_TOKEN")
        .env("IPERF3_PASSWORD", password)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    wait(child.expect("the client starts"))
}

pub fn ours() -> PathBuf {
    env!("CARGO_BIN_EXE_nettest-engine").into()
}

#[test]
fn ours_and_ours_agree_with_both_paddings_and_both_kinds_of_key() {
    let keys = Keys::new();
    for padding in ["", "--use-pkcs1-padding"] {
        for key in ["private.pem", "pkcs1.pem"] {
            let server = Server::start(&format!("{} {padding}", keys.server(key)));
            let flags = format!("{} {padding}", keys.client("mario"));
            let output = client(&ours(), server.port, &flags, "rossi");
            assert_eq!(
                output.status.code(),
                Some(0),
                "{padding} {key}: {}",
                text(&output.stderr)
            );
        }
    }
}

#[test]
fn what_is_wrong_is_refused_with_one_answer_and_leaves_a_one_off_server_alone() {
    let keys = Keys::new();
    let mut server = Server::start(&format!("-1 {}", keys.server("private.pem")));
    let mario = keys.client("mario");
    let pkcs1 = format!("{mario} --use-pkcs1-padding");
    let mut answers = Vec::new();
    for (flags, password) in [
        (mario.as_str(), "rosso"),
        (keys.client("luigi").as_str(), "rossi"),
        (pkcs1.as_str(), "rossi"),
        ("", ""),
    ] {
        let output = client(&ours(), server.port, flags, password);
        assert_eq!(output.status.code(), Some(1), "{flags}");
        let said = text(&output.stderr);
        assert!(
            said.contains("login was refused (error 142)"),
            "{flags}: {said}"
        );
        answers.push(said);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    for token in ["=", "", "AAAA", &"A".repeat(7000)] {
        let mut raw = Raw::connect(server.port);
        raw.send(COOKIE);
        assert_eq!(raw.state(), 9);
        raw.send_json(&format!(r#"{{"tcp":true,"time":1,"authtoken":"{token}"}}"#));
        assert_eq!(raw.rest(), [0xfe, 0, 0, 0, 142, 0, 0, 0, 0], "{token}");
    }
    let output = client(&ours(), server.port, &mario, "rossi");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn bad_files_stop_the_server_with_the_flag_and_the_path() {
    let keys = Keys::new();
    std::fs::write(keys.file("empty.csv"), "# nobody\n").expect("written");
    for (key, users, flag, path) in [
        (
            "none.pem",
            "users.csv",
            "--rsa-private-key-path",
            "none.pem",
        ),
        (
            "users.csv",
            "users.csv",
            "--rsa-private-key-path",
            "users.csv",
        ),
        (
            "public.pem",
            "users.csv",
            "--rsa-private-key-path",
            "public.pem",
        ),
        (
            "private.pem",
            "none.csv",
            "--authorized-users-path",
            "none.csv",
        ),
        (
            "private.pem",
            "empty.csv",
            "--authorized-users-path",
            "empty.csv",
        ),
    ] {
        let flags = format!(
            "-s -p {} --rsa-private-key-path {} --authorized-users-path {}",
            free_port(),
            keys.file(key),
            keys.file(users)
        );
        let output = wait(engine(&flags).spawn().expect("it starts"));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(flag) && said.contains(path), "{said}");
        assert_eq!(text(&output.stdout), "", "it does not listen first");
    }
}

/// The server checks the time in the token, and a client in line made its own long ago.
#[test]
fn the_wait_in_line_does_not_make_a_login_too_old() {
    let keys = Keys::new();
    let flags = keys.server("private.pem");
    let server = Server::start(&format!("{flags} --time-skew-threshold 3"));
    let mario = keys.client("mario");
    let first = format!("{mario} -t 7");
    let port = server.port;
    let busy = std::thread::spawn(move || client(&ours(), port, &first, "rossi"));
    let begun = Instant::now();
    // The line shows that the first has the slot.
    let output = loop {
        std::thread::sleep(Duration::from_millis(500));
        let output = client(&ours(), port, &mario, "rossi");
        let stood = text(&output.stderr).contains("line");
        if stood || begun.elapsed() > Duration::from_secs(30) {
            break output;
        }
    };
    let said = text(&output.stderr);
    assert!(said.contains("line"), "it had to wait: {said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(busy.join().expect("it ends").status.code(), Some(0));
}

/// Nobody can be asked for a password here.
#[test]
fn a_client_without_a_password_and_a_terminal_says_what_to_do() {
    let keys = Keys::new();
    let flags = format!("-c 127.0.0.1 -p {} {}", free_port(), keys.client("mario"));
    let child = Command::new("setsid")
        .arg("-w")
        .arg(ours())
        .args(flags.split_whitespace())
        .env_remove("IPERF3_PASSWORD")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let output = wait(child.expect("setsid is on the PATH"));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("IPERF3_PASSWORD"), "{said}");
}

/// The password is typed on a terminal that does not show it, and the terminal is left as it was.
#[test]
fn a_password_is_asked_for_on_the_terminal_without_an_echo() {
    let keys = Keys::new();
    let server = Server::start(&keys.server("private.pem"));
    let client = format!(
        "{} -c 127.0.0.1 -p {} -t 1 -b 1M {}; stty -a",
        ours().display(),
        server.port,
        keys.client("mario")
    );
    let mut child = Command::new("script")
        .args(["-qefc", &client, "/dev/null"])
        .env_remove("IPERF3_PASSWORD")
        .env_remove("NETTEST_RUN_TOKEN")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("script is on the PATH");
    let mut keyboard = child.stdin.take().expect("stdin is piped");
    let mut screen = child.stdout.take().expect("stdout is piped");
    let mut shown = Vec::new();
    let mut piece = [0; 512];
    while !text(&shown).contains("Password: ") {
        let count = uninterrupted(|| screen.read(&mut piece)).expect("it can be read");
        assert!(count > 0, "it asks: {}", text(&shown));
        shown.extend_from_slice(&piece[..count]);
    }
    keyboard.write_all(b"rossi\n").expect("it reads");
    screen.read_to_end(&mut shown).expect("to the end");
    let output = wait(child);
    let shown = text(&shown);
    assert!(
        output.status.success() && shown.contains("iperf Done"),
        "{shown}"
    );
    assert!(!shown.contains("rossi"), "{shown}");
    assert!(
        shown.contains(" echo ") && !shown.contains(" -echo "),
        "{shown}"
    );
}
