//! `report NAME`: what is known of the latest run that has ended, written down.

use crate::cli::{AccessArgs, ReportArgs, ReportFormat};
use crate::report::{Format, render};
use crate::show::{object, out, slow::Slow};
use crate::subject::Subject;
use nettest_api::NetTestRun;

pub async fn report(access: &AccessArgs, args: &ReportArgs) -> anyhow::Result<()> {
    if let Some(file) = &args.out {
        object::check_report(file)?;
    }
    let format = match (args.output, &args.out) {
        (Some(flag), _) => of_flag(flag),
        (None, Some(file)) => Format::of_file(file).ok_or_else(|| {
            anyhow::anyhow!(
                "the name {} does not say the form of the report: end it with .html, .md, .json, .xml (JUnit) or .csv, or give -o",
                file.display()
            )
        })?,
        (None, None) => Format::Markdown,
    };
    let (connection, found) = super::find(access, &args.name).await?;
    let run: NetTestRun = super::finished(&found)?;
    let slow = Slow::new(args.progress.quiet);
    let subject = Subject::kept(&connection, run, &slow).await?;
    drop(slow);
    let text = render(&subject, format)?;
    match &args.out {
        Some(file) => {
            object::write(file, &text)?;
            if !args.progress.quiet {
                out::warn(&format!("report: {}", file.display()));
            }
        }
        None => out::print(&text)?,
    }
    Ok(())
}

fn of_flag(format: ReportFormat) -> Format {
    match format {
        ReportFormat::Html => Format::Html,
        ReportFormat::Md => Format::Markdown,
        ReportFormat::Json => Format::Json,
        ReportFormat::Junit => Format::Junit,
        ReportFormat::Csv => Format::Csv,
    }
}
