//! Pages in a real browser: what is only known once it is drawn. Needs Chromium, which hack/install-prerequisites installs.

mod chromium;

use super::{HOSTILE, graded, mesh, recorded::recorded, sweep};
use crate::report::{Format, render};
use crate::subject::Subject;
use chromium::{Browser, Scheme, Seen};
use serde_json::{Value, json};

fn page(subject: &Subject) -> String {
    render(subject, Format::Html).unwrap()
}

/// Whatever is wrong with it, in words.
fn faults(seen: &Seen, width: u32) -> Vec<String> {
    let probe = &seen.probe;
    let mut faults = vec![];
    let mut fault = |is_bad: bool, what: &str, found: String| {
        if is_bad {
            faults.push(format!("{what}: {found}"));
        }
    };
    for (what, wanted) in [
        ("width", json!(width)),
        // The page itself never scrolls sideways; what is wide does so in its own frame.
        ("scroll", json!(0)),
        ("overlaps", json!([])),
        ("pale", json!([])),
        ("unreachable", json!([])),
        ("unnamed", json!(0)),
        ("headless", json!(0)),
        ("nameless", json!(0)),
        ("captions", json!(0)),
        ("unlabelled", json!(0)),
        ("language", json!("en")),
        ("heading", json!(1)),
        ("main", json!(1)),
    ] {
        fault(probe[what] != wanted, what, probe[what].to_string());
    }
    fault(!seen.console.is_empty(), "console", seen.console.join("; "));
    let outside: Vec<&str> = seen.outside.iter().map(String::as_str).collect();
    fault(!outside.is_empty(), "outside", outside.join(", "));
    faults
}

fn no_faults(name: &str, html: &str, width: u32, scheme: Scheme) -> Value {
    let seen = Browser::of(html).look(width, scheme);
    let faults = faults(&seen, width);
    assert!(
        faults.is_empty(),
        "{name} at {width}, {scheme:?}: {faults:#?}"
    );
    seen.probe
}

#[test]
fn the_page_fits_every_width_and_everybody_can_use_it() {
    let pages = [
        ("sweep", sweep("rack-a")),
        (
            "mesh",
            mesh(8, "worker-with-a-rather-long-name.example.internal"),
        ),
        ("hostile", mesh(5, HOSTILE)),
        ("windows", recorded("windows")),
        ("both ways", recorded("both-ways")),
    ];
    for (name, subject) in &pages {
        let html = page(subject);
        for width in [380, 800, 1400] {
            let probe = no_faults(name, &html, width, Scheme::Light);
            let count = |what: &str| probe[what].as_u64().unwrap();
            assert!(
                count("charts") > 0 && count("tables") > 1 && count("stops") > 2,
                "{name}: {probe}"
            );
        }
    }
}

/// Letters and lines stand out in the dark as they do in the light.
#[test]
fn it_is_dark_where_one_wants_it_dark() {
    let brightness = |colour: &Value| {
        let numbers = colour
            .as_str()
            .unwrap()
            .split(|c: char| !c.is_ascii_digit());
        let numbers = numbers.filter_map(|number| number.parse::<u32>().ok());
        numbers.take(3).sum::<u32>()
    };
    for (name, subject) in [("windows", recorded("windows")), ("mesh", graded(8))] {
        let html = page(&subject);
        let light = no_faults(name, &html, 800, Scheme::Light);
        let dark = no_faults(name, &html, 800, Scheme::Dark);
        assert!(
            brightness(&light["background"]) > 700 && brightness(&light["ink"]) < 150,
            "{light}"
        );
        assert!(
            brightness(&dark["background"]) < 150 && brightness(&dark["ink"]) > 600,
            "{dark}"
        );
    }
}

#[test]
fn it_can_be_printed() {
    let pdf = Browser::of(&page(&recorded("windows"))).paper();
    assert!(
        pdf.starts_with(b"%PDF") && pdf.len() > 10_000,
        "{} bytes",
        pdf.len()
    );
}

/// 9,900 ways: the map and the numbers of all of them, in a page that still opens.
#[test]
fn a_mesh_of_a_hundred_nodes_is_one_page() {
    // The names' order puts the suspect at the end, or between two others whose numbers stand.
    for bad in ["worker-bad", "worker-50-bad"] {
        let html = page(&mesh(100, bad));
        assert!(html.len() < 4 * 1024 * 1024, "{} bytes", html.len());
        for width in [380, 1400] {
            no_faults(bad, &html, width, Scheme::Light);
        }
    }
}

/// What the checks are worth: a page with each of the faults is found out.
#[test]
fn a_bad_page_is_found_out() {
    let bad = r##"<!doctype html><html><title>bad</title><body style="background:#fff;color:#999"><p>pale</p>
<div style="width:2000px">wide</div><script>undefined.x</script><img src="http://outside.example/a.png" alt="">
<div style="overflow-x:auto;width:100px"><pre>this is far too long for its frame</pre></div><button tabindex="-1">no</button>
<svg viewBox="0 0 100 50" width="100"><text x="5" y="20">one</text><text x="8" y="20">two</text></svg>
<table><tr><th>a</th></tr></table><section>b</section></body></html>"##;
    let seen = Browser::of(bad).look(800, Scheme::Light);
    let faults = faults(&seen, 800).join("\n");
    for what in [
        "scroll",
        "overlaps",
        "pale",
        "unreachable",
        "unnamed",
        "headless",
        "captions",
        "unlabelled",
        "language",
        "heading",
        "main",
        "console",
        "outside: http://outside.example/a.png",
    ] {
        assert!(
            faults.contains(&what.to_string()),
            "{what} is not in {faults}"
        );
    }
}
