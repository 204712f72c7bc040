//! `run`: every test of the files, one after the other, then what came out.

mod cluster;
mod local;

use crate::cli::{AccessArgs, Output, RunArgs};
use crate::interrupt::Interrupt;
use crate::manifest;
use crate::report::{Format, render};
use crate::show::{self, object, out, test::Ended};
use crate::subject::Subject;
use nettest_api::NetTest;
use nettest_api::result::Verdict;
use nettest_core::policy::Policy;
use nettest_core::valid::ValidTest;
use nettest_core::validate::{Refusal, validate};
use std::path::Path;

/// How a run of the program ends; the worst of its tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    Passed = 0,
    ThresholdsNotMet = 1,
    NotMeasured = 2,
}

impl Ending {
    pub fn of(test: &NetTest) -> Ending {
        match test.status.as_ref().and_then(|status| status.verdict) {
            Some(Verdict::Passed) => Ending::Passed,
            Some(Verdict::Failed) => Ending::ThresholdsNotMet,
            Some(Verdict::Error) | None => Ending::NotMeasured,
        }
    }
}

/// Runs all. An error is one sentence about what kept it from starting.
pub async fn run(access: &AccessArgs, args: &RunArgs) -> anyhow::Result<Ending> {
    let manifests = manifest::load(&args.files)?;
    // A measurement may take hours: nobody wants to hear only then that its report has no place.
    if let Some(file) = &args.report {
        object::check_report(file)?;
    }
    let report = args.report.as_deref().and_then(Format::of_file);
    if let Some(file) = &args.report
        && report.is_none()
        && !object::is_yaml(file)
    {
        anyhow::bail!(
            "the name {} does not say the form of the report: end it with .html, .md, .xml (JUnit), .csv, .json or .yaml",
            file.display()
        );
    }
    let report = report.filter(|format| *format != Format::Json);
    if let (Some(_), Some(file)) = (report, &args.report)
        && manifests.len() > 1
    {
        anyhow::bail!(
            "{} is a report of one test, and there are {}: run them one by one, or name a .yaml or .json file, which takes all",
            file.display(),
            manifests.len()
        );
    }
    let mut interrupt = Interrupt::listen()
        .map_err(|error| anyhow::anyhow!("cannot listen for Ctrl-C and other signals: {error}"))?;
    let mut session = Session {
        access,
        args,
        ending: Ending::Passed,
        tests: Vec::new(),
        report,
        subject: None,
    };
    if args.local {
        session.local(manifests, &mut interrupt).await?;
    } else {
        session.cluster(manifests, &mut interrupt).await?;
    }
    session.finish()
}

/// The tests that have ended so far.
struct Session<'a> {
    access: &'a AccessArgs,
    args: &'a RunArgs,
    ending: Ending,
    tests: Vec<NetTest>,
    /// The form of a report of one test.
    report: Option<Format>,
    /// What it is made of.
    subject: Option<Subject>,
}

impl Session<'_> {
    /// People see each test when it ends.
    fn ended(&mut self, ended: Ended) -> anyhow::Result<()> {
        self.ending = self.ending.max(Ending::of(&ended.test));
        if object::Format::of_output(self.args.output).is_none() {
            let wide = self.args.output == Output::Wide;
            out::print(&show::test::text(&ended, wide))?;
        }
        if self.report.is_some() && self.subject.is_none() {
            self.subject = Some(Subject::local(&ended.test, &ended.measurements));
        }
        self.tests.push(ended.test);
        Ok(())
    }

    fn finish(self) -> anyhow::Result<Ending> {
        if let Some(format) = object::Format::of_output(self.args.output)
            && !self.tests.is_empty()
        {
            out::print(&object::render(&self.tests, format)?)?;
        }
        if let Some(file) = self.args.report.as_deref() {
            match (self.report, &self.subject) {
                (Some(format), Some(subject)) => object::write(file, &render(subject, format)?)?,
                // Interrupted before the first end: there is nothing to report.
                (Some(_), None) => return Ok(self.ending),
                (None, _) => object::write_report(&self.tests, file)?,
            }
            if !self.args.progress.quiet {
                out::warn(&format!("report: {}", Path::new(file).display()));
            }
        }
        Ok(self.ending)
    }
}

/// What is wrong with a test wherever it runs; what it may do is for its cluster to say.
fn check(test: &NetTest) -> Result<ValidTest, Refusal> {
    let namespace = test.metadata.namespace.as_deref().unwrap_or_default();
    validate(&test.spec, namespace, &Policy::everything())
}
