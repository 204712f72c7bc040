//! `compare A B`: two runs side by side.

use crate::cli::{AccessArgs, CompareArgs};
use crate::cluster;
use crate::show::compare::{self as show, summary, table};
use crate::show::grid::Extent;
use crate::show::{out, screen::Screen};
use jiff::Timestamp;
use kube::ResourceExt;
use nettest_api::NetTestRun;
use nettest_core::compare::{
    Comparison, OfPair, compare as compared, compare_pairs, compare_summaries,
};
use serde::Serialize;

pub async fn compare(access: &AccessArgs, args: &CompareArgs) -> anyhow::Result<()> {
    let (of_before, before) = super::find(access, &args.before).await?;
    let (of_after, after) = super::find(access, &args.after).await?;
    let (before, after) = (super::finished(&before)?, super::finished(&after)?);
    let results = |run: &NetTestRun| {
        let status = run.status.as_ref();
        let results = status
            .map(|status| status.results.clone())
            .unwrap_or_default();
        if results.is_empty() {
            anyhow::bail!(
                "{} measured nothing, so there is nothing to compare; kubectl nettest why run/{0} -n {} says why",
                run.name_any(),
                run.namespace().unwrap_or_default()
            );
        }
        Ok(results)
    };
    let (one, other) = (results(&before)?, results(&after)?);
    let meshes = cluster::has_several(&before) && cluster::has_several(&after);
    let (all, pairs) = if meshes {
        let pairs_before = cluster::pairs(&of_before, &before).await?;
        let pairs_after = cluster::pairs(&of_after, &after).await?;
        (
            compare_summaries(&one, &other),
            compare_pairs(&pairs_before, &pairs_after),
        )
    } else {
        (compared(&one, &other), vec![])
    };
    let screen = Screen::of_stdout();
    let extent = Extent {
        wide: false,
        width: screen.width,
    };
    let text = match meshes {
        true => show::pairs(&pairs, extent),
        false => summary(&all),
    };
    let finished = |run: &NetTestRun| Some(run.status.as_ref()?.finish_time.as_ref()?.0);
    let side = |run: &NetTestRun| Side {
        run: run.name_any(),
        finished: finished(run),
    };
    let compared = Compared {
        before: side(&before),
        after: side(&after),
        variants: &all,
        pairs: &pairs,
    };
    if super::for_programs(args.form.output, &compared)? {
        return Ok(());
    }
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pairs: &'a [OfPair],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Side {
    run: String,
    finished: Option<Timestamp>,
}
