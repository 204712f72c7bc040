//! Pages in a real browser: what is only known once it is drawn. Needs Chromium, which hack/install-prerequisites installs.

use super::{HOSTILE, mesh, sweep};
use crate::report::{Format, render};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Looks at the page in a frame of a width that no window may have, and says what it saw.
const PROBE: &str = r#"<!doctype html><meta charset="utf-8"><body style="margin:0"><iframe id="f" style="border:0;width:WIDTHpx;height:6000px" src="page.html"></iframe><pre id="out"></pre><script>
const frame = document.getElementById('f');
const errors = [];
frame.addEventListener('load', () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  view.addEventListener('error', event => errors.push(String(event.message)));
  for (const details of page.querySelectorAll('details')) details.open = true;
  const overlaps = [];
  for (const svg of page.querySelectorAll('svg')) {
    const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    const box = svg.getBoundingClientRect();
    texts.forEach(([one, a], index) => {
      if (a.left < box.left - 1 || a.right > box.right + 1) overlaps.push(one + ' leaves its chart');
      for (const [other, b] of texts.slice(index + 1)) {
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) overlaps.push(one + ' / ' + other);
      }
    });
  }
  const stops = [...page.querySelectorAll('summary, a[href], [tabindex="0"]')];
  const unreachable = stops.filter(stop => { stop.focus(); return page.activeElement !== stop; }).length;
  const style = view.getComputedStyle(page.body);
  document.getElementById('out').textContent = JSON.stringify({
    width: view.innerWidth, scroll: page.documentElement.scrollWidth, overlaps, stops: stops.length, unreachable, errors,
    charts: page.querySelectorAll('svg').length,
    unnamed: [...page.querySelectorAll('svg')].filter(svg => !svg.querySelector('title') || svg.getAttribute('role') !== 'img').length,
    headless: [...page.querySelectorAll('th')].filter(th => !th.scope).length,
    captions: [...page.querySelectorAll('table')].filter(table => !table.caption).length,
    requests: view.performance.getEntriesByType('resource').map(entry => entry.name),
    background: style.backgroundColor, ink: style.color,
    tables: page.querySelectorAll('table').length,
  });
});
</script>"#;

fn chromium(folder: &Path, more: &[&str]) -> std::process::Output {
    // Without these it looks for updates and addresses by itself.
    let quiet = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--allow-file-access-from-files",
        "--window-size=1600,1200",
        "--virtual-time-budget=8000",
    ];
    Command::new("chromium")
        .args(quiet)
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .args(more)
        .output()
        .expect("chromium is installed: hack/install-prerequisites")
}

fn seen(html: &str, width: u32, dark: bool) -> Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.html"), html).unwrap();
    let probe = folder.path().join("probe.html");
    std::fs::write(&probe, PROBE.replace("WIDTH", &width.to_string())).unwrap();
    let scheme = if dark {
        "--blink-settings=preferredColorScheme=0"
    } else {
        "--blink-settings=preferredColorScheme=1"
    };
    let address = format!("file://{}", probe.display());
    let output = chromium(folder.path(), &[scheme, "--dump-dom", &address]);
    let dom = String::from_utf8_lossy(&output.stdout);
    let found = dom
        .split_once(r#"<pre id="out">"#)
        .and_then(|(_, rest)| rest.split_once("</pre>"));
    let text = found.map(|(text, _)| {
        text.replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
    });
    let text = text.unwrap_or_else(|| panic!("no probe in {dom}"));
    serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!(
            "{error}: {text} {}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

#[test]
fn the_page_fits_every_width_and_everybody_can_use_it() {
    let pages = [
        ("sweep", render(&sweep("rack-a"), Format::Html).unwrap()),
        (
            "mesh",
            render(
                &mesh(8, "worker-with-a-rather-long-name.example.internal"),
                Format::Html,
            )
            .unwrap(),
        ),
        ("hostile", render(&mesh(5, HOSTILE), Format::Html).unwrap()),
    ];
    for (name, html) in &pages {
        for width in [380, 800, 1400] {
            let seen = seen(html, width, false);
            assert_eq!(seen["width"], width, "{name}: {seen}");
            assert_eq!(
                seen["scroll"], width,
                "{name} scrolls sideways at {width}: {seen}"
            );
            assert_eq!(seen["overlaps"], Value::Array(vec![]), "{name} at {width}");
            for none in ["unreachable", "unnamed", "headless", "captions"] {
                assert_eq!(seen[none], 0, "{name}: {none}: {seen}");
            }
            assert_eq!(seen["requests"], Value::Array(vec![]), "{name}");
            assert_eq!(seen["errors"], Value::Array(vec![]), "{name}");
            assert!(
                seen["charts"].as_u64().unwrap() > 0 && seen["tables"].as_u64().unwrap() > 1,
                "{name}: {seen}"
            );
            assert!(seen["stops"].as_u64().unwrap() > 2, "{name}: {seen}");
        }
    }
}

#[test]
fn it_is_dark_where_one_wants_it_dark_and_can_be_printed() {
    let html = render(&sweep("rack-a"), Format::Html).unwrap();
    let brightness = |colour: &Value| {
        let numbers = colour
            .as_str()
            .unwrap()
            .split(|c: char| !c.is_ascii_digit());
        numbers
            .filter_map(|number| number.parse::<u32>().ok())
            .take(3)
            .sum::<u32>()
    };
    let (light, dark) = (seen(&html, 800, false), seen(&html, 800, true));
    assert!(
        brightness(&light["background"]) > 700 && brightness(&light["ink"]) < 150,
        "{light}"
    );
    assert!(
        brightness(&dark["background"]) < 150 && brightness(&dark["ink"]) > 600,
        "{dark}"
    );

    let folder = tempfile::tempdir().unwrap();
    let (page, paper) = (
        folder.path().join("page.html"),
        folder.path().join("page.pdf"),
    );
    std::fs::write(&page, &html).unwrap();
    let print = format!("--print-to-pdf={}", paper.display());
    chromium(
        folder.path(),
        &[&print, &format!("file://{}", page.display())],
    );
    let pdf = std::fs::read(&paper).unwrap();
    assert!(
        pdf.starts_with(b"%PDF") && pdf.len() > 10_000,
        "{} bytes",
        pdf.len()
    );
}
