//! `history NAME`: the runs of a test, latest first; also those that are gone, as the test's status remembers them.

use crate::cli::{AccessArgs, HistoryArgs};
use crate::cluster::{self, Target};
use crate::show::grid::Extent;
use crate::show::history::{Past, latest_first, table};
use crate::show::{out, screen::Screen};
use jiff::Timestamp;
use kube::ResourceExt;
use nettest_api::{NetTestRun, condition};
use nettest_core::conditions::find;
use serde::Serialize;

pub async fn history(access: &AccessArgs, args: &HistoryArgs) -> anyhow::Result<()> {
    if let Target::Run(name) = args.name.parse()? {
        anyhow::bail!(
            "{name} is a run, and a history is a NetTest's: give the name of the NetTest"
        );
    }
    let (_, found) = super::find(access, &args.name).await?;
    let now = Timestamp::now();
    let mut past: Vec<Past> = found.runs.iter().map(|run| of_run(run, now)).collect();
    let status = found.test.as_ref().and_then(|test| test.status.as_ref());
    for remembered in status.iter().flat_map(|status| &status.history) {
        if past.iter().all(|known| known.run != remembered.run) {
            let finished = remembered.finish_time.as_ref().map(|time| time.0);
            past.push(Past {
                run: remembered.run.clone(),
                deleted: true,
                finished,
                ago: finished.map(|time| now.duration_since(time)),
                verdict: Some(remembered.verdict),
                reason: remembered.reason.clone(),
                throughput: remembered.throughput.clone(),
            });
        }
    }
    latest_first(&mut past);
    if past.is_empty() {
        // Says why, as every command that needs a run does.
        found.finished()?;
    }
    let next = status.and_then(|status| status.next_run_time.as_ref());
    let history = History {
        name: &found.name,
        next_run: next.map(|time| time.0),
        runs: &past,
    };
    if super::for_programs(args.form.output, &history)? {
        return Ok(());
    }
    let screen = Screen::of_stdout();
    let extent = Extent {
        wide: false,
        width: screen.width,
    };
    out::print(&table(&past, extent).text)?;
    if let Some(next) = next {
        out::print(&format!("next run at {}\n", next.0))?;
    }
    Ok(())
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct History<'a> {
    name: &'a str,
    next_run: Option<Timestamp>,
    runs: &'a [Past],
}

fn of_run(run: &NetTestRun, now: Timestamp) -> Past {
    let status = run.status.clone().unwrap_or_default();
    let finished = status.finish_time.as_ref().map(|time| time.0);
    let succeeded = find(&status.conditions, condition::SUCCEEDED);
    let begun = finished.or(run.creation_timestamp().map(|time| time.0));
    Past {
        run: run.name_any(),
        deleted: false,
        finished,
        ago: begun.map(|time| now.duration_since(time)),
        verdict: status.verdict.filter(|_| cluster::has_ended(run)),
        reason: succeeded.map_or_else(|| "-".to_owned(), |condition| condition.reason.clone()),
        throughput: status
            .results
            .first()
            .map(|result| result.throughput.clone()),
    }
}
