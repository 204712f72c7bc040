//! `compare A B`: two runs side by side.

use crate::cli::CompareArgs;
use crate::show::compare::{summary, table};
use crate::show::grid::Extent;
use crate::show::{out, screen::Screen};
use kube::ResourceExt;
use nettest_api::NetTestRun;
use nettest_core::compare::compare as compared;

pub async fn compare(args: &CompareArgs) -> anyhow::Result<()> {
    let (_, before) = super::find(&args.access, &args.before).await?;
    let (_, after) = super::find(&args.access, &args.after).await?;
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
    let screen = Screen::of_stdout();
    let extent = Extent {
        wide: false,
        width: screen.width,
    };
    let when = |run: &NetTestRun| {
        let finished = run
            .status
            .as_ref()
            .and_then(|status| status.finish_time.as_ref());
        finished.map_or_else(String::new, |time| format!(" ({})", time.0))
    };
    let head = format!(
        "before: {}{}\nafter:  {}{}\n\n",
        before.name_any(),
        when(&before),
        after.name_any(),
        when(&after)
    );
    let text = head + &table(&all, extent).text + "\n" + &summary(&all);
    Ok(out::print(&text)?)
}
