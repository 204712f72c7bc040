//! `why NAME`: the newest run, ended or not.

use crate::cli::{AccessArgs, WhyArgs};
use crate::cluster;
use crate::show::{out, screen::Screen, why};

pub async fn why(access: &AccessArgs, args: &WhyArgs) -> anyhow::Result<()> {
    let (_, found) = super::find(access, &args.name).await?;
    let run = match found.newest() {
        Some(run) => run,
        // Says why there is none.
        None => super::finished(&found)?,
    };
    let far = (!cluster::has_ended(&run)).then(|| cluster::far(&run));
    if super::for_programs(args.form.output, &why::Why::of(&run, far.as_deref()))? {
        return Ok(());
    }
    let text = why::text(&run, far.as_deref(), Screen::of_stdout());
    Ok(out::print(&text)?)
}
