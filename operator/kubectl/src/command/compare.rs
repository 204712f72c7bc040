//! `compare A B`: two runs side by side.

use crate::cli::{AccessArgs, CompareArgs};
use crate::show::compare::{summary, table};
use crate::show::grid::Extent;
use crate::show::{out, screen::Screen};
use jiff::Timestamp;
use kube::ResourceExt;
use nettest_api::NetTestRun;
use nettest_core::compare::{Comparison, compare as compared};
use serde::Serialize;

pub async fn compare(access: &AccessArgs, args: &CompareArgs) -> anyhow::Result<()> {
    let (_, before) = super::find(access, &args.before).await?;
    let (_, after) = super::find(access, &args.after).await?;
    let (before, after) = (super::finished(&before)?, super::finished(&after)?);
    let results = |run: &NetTestRun| {
        let status = run.status.as_ref();
        let results = status
            .map(|status| status.results.clone())
            .unwrap_or_default();
        if results.is_empty() {
            anyhow::bail!(
                "{} measured nothing, so there is nothing to compare; kubectl nettest why run/{0} says why",
                run.name_any()
            );
        }
        Ok(results)
    };
    let all = compared(&results(&before)?, &results(&after)?);
    let text = summary(&all);
    let finished = |run: &NetTestRun| Some(run.status.as_ref()?.finish_time.as_ref()?.0);
    let side = |run: &NetTestRun| Side {
        run: run.name_any(),
        finished: finished(run),
    };
    let compared = Compared {
        before: side(&before),
        after: side(&after),
        variants: &all,
        summary: text.trim_end(),
    };
    if super::for_programs(args.output, &compared)? {
        return Ok(());
    }
    let screen = Screen::of_stdout();
    let extent = Extent {
        wide: false,
        width: screen.width,
    };
    let when =
        |run: &NetTestRun| finished(run).map_or_else(String::new, |time| format!(" ({time})"));
    let head = format!(
        "before: {}{}\nafter:  {}{}\n\n",
        before.name_any(),
        when(&before),
        after.name_any(),
        when(&after)
    );
    let text = head + &table(&all, extent).text + "\n" + &text;
    Ok(out::print(&text)?)
}

/// For programs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Compared<'a> {
    before: Side,
    after: Side,
    variants: &'a [Comparison],
    summary: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Side {
    run: String,
    finished: Option<Timestamp>,
}
