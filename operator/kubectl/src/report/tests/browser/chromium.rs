//! Chromium without a window and without a network: what it drew, what it said, what it asked for.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const PROBE: &str = include_str!("probe.html");

/// Options without which it looks for updates by itself; and no name has an address, so that it cannot all the same.
const QUIET: [&str; 13] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--allow-file-access-from-files",
    "--enable-logging=stderr",
    "--window-size=1600,1200",
    "--virtual-time-budget=8000",
];

/// A page on disk, in a browser of its own.
pub struct Browser {
    folder: TempDir,
}

/// What one look at a page tells.
pub struct Seen {
    /// What probe.html found.
    pub probe: Value,
    /// Whatever came to the console: errors, refused scripts.
    pub console: Vec<String>,
    /// Addresses that are neither files nor in the page itself.
    pub outside: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Dark,
    Light,
}

impl Browser {
    pub fn of(html: &str) -> Browser {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("page.html"), html).unwrap();
        Browser { folder }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, more: &[&str]) -> Output {
        Command::new("chromium")
            .args(QUIET)
            .arg(format!(
                "--user-data-dir={}",
                self.file("profile").display()
            ))
            .args(more)
            .output()
            .expect("chromium is installed: hack/install-prerequisites")
    }

    pub fn look(&self, width: u32, scheme: Scheme) -> Seen {
        let probe = self.file("probe.html");
        std::fs::write(&probe, PROBE.replace("WIDTH", &width.to_string())).unwrap();
        let scheme = match scheme {
            Scheme::Dark => "--blink-settings=preferredColorScheme=0",
            Scheme::Light => "--blink-settings=preferredColorScheme=1",
        };
        let log = self.file("requests.json");
        let log_to = format!("--log-net-log={}", log.display());
        let output = self.run(&[scheme, &log_to, "--dump-dom", &address(&probe)]);
        let words = String::from_utf8_lossy(&output.stderr);
        let dom = String::from_utf8_lossy(&output.stdout);
        let found = dom
            .split_once(r#"<pre id="out">"#)
            .and_then(|(_, rest)| rest.split_once("</pre>"));
        let (text, _) = found.unwrap_or_else(|| panic!("no probe in {dom}: {words}"));
        let text = text
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        let probe = serde_json::from_str(&text);
        let console = words.lines().filter(|line| line.contains("CONSOLE"));
        Seen {
            probe: probe.unwrap_or_else(|error| panic!("{error}: {text} {words}")),
            console: console.map(str::to_owned).collect(),
            outside: outside(&log),
        }
    }

    /// The page as PDF.
    pub fn paper(&self) -> Vec<u8> {
        let paper = self.file("page.pdf");
        let print = format!("--print-to-pdf={}", paper.display());
        self.run(&[&print, &address(&self.file("page.html"))]);
        std::fs::read(&paper).unwrap()
    }
}

fn address(file: &Path) -> String {
    format!("file://{}", file.display())
}

/// What the browser's network was asked for. Chromium asks its maker's servers by itself, whatever the page is.
fn outside(log: &Path) -> BTreeSet<String> {
    let log = std::fs::read_to_string(log).unwrap();
    let addresses = log.split(r#""url":""#).skip(1);
    let addresses = addresses.filter_map(|rest| rest.split('"').next());
    addresses
        .filter(|address| address.contains("://"))
        .filter(|address| !address.starts_with("chrome") && !address.starts_with("file://"))
        .filter(|address| {
            let host = address.split('/').nth(2).unwrap_or_default();
            !host.ends_with(".google.com") && !host.ends_with(".googleapis.com")
        })
        .map(str::to_owned)
        .collect()
}
