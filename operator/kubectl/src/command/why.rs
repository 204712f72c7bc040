//! `why NAME`: the newest run, ended or not.

use crate::cli::WhyArgs;
use crate::cluster;
use crate::show::{out, screen::Screen, why};

pub async fn why(args: &WhyArgs) -> anyhow::Result<()> {
    let (_, found) = super::find(&args.access, &args.name).await?;
    let screen = Screen::of_stdout();
    let text = match found.runs.first() {
        Some(run) => {
            let far = (!cluster::has_ended(run)).then(|| cluster::far(run));
            why::text(run, far.as_deref(), screen)
        }
        // What is left of a test whose runs are gone.
        None => why::text(&super::finished(&found)?, None, screen),
    };
    Ok(out::print(&text)?)
}
