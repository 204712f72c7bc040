//! `run`: every test of the files, one after the other, then what came out.

use crate::cli::{Output, RunArgs};
use crate::cluster::{self, Connection, State};
use crate::interrupt::Interrupt;
use crate::local::{self, End, Engine, LocalError};
use crate::manifest::{self, Manifest};
use crate::show::{self, object, out, progress::Progress};
use jiff::Timestamp;
use kube::{Api, ResourceExt};
use nettest_api::result::Verdict;
use nettest_api::{NetTest, NetTestRun};
use nettest_core::policy::Policy;
use nettest_core::status::test_status;
use nettest_core::valid::{RunUid, ValidTest};
use nettest_core::validate::{Refusal, validate};
use nettest_report::event::Measurement;
use std::path::Path;

/// How a run of the program ends; the worst of its tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    Passed = 0,
    ThresholdsNotMet = 1,
    NotMeasured = 2,
}

impl Ending {
    fn of(test: &NetTest) -> Ending {
        match test.status.as_ref().and_then(|status| status.verdict) {
            Some(Verdict::Passed) => Ending::Passed,
            Some(Verdict::Failed) => Ending::ThresholdsNotMet,
            Some(Verdict::Error) | None => Ending::NotMeasured,
        }
    }
}

/// Runs all. An error is one sentence about what kept it from starting.
pub async fn run(args: &RunArgs) -> anyhow::Result<Ending> {
    let manifests = manifest::load(&args.files)?;
    // A measurement may take hours: nobody wants to hear only then that its report has no place.
    if let Some(file) = &args.report {
        object::check_report(file)?;
    }
    let mut interrupt = Interrupt::listen()
        .map_err(|error| anyhow::anyhow!("cannot listen for Ctrl-C and other signals: {error}"))?;
    let mut session = Session {
        args,
        ending: Ending::Passed,
        tests: Vec::new(),
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
    args: &'a RunArgs,
    ending: Ending,
    tests: Vec<NetTest>,
}

impl Session<'_> {
    async fn local(
        &mut self,
        manifests: Vec<Manifest>,
        interrupt: &mut Interrupt,
    ) -> anyhow::Result<()> {
        let checked = manifests.into_iter().map(|Manifest { mut test, .. }| {
            // As the first apply to a cluster would.
            test.metadata.generation = Some(1);
            let valid = check(&test);
            (test, valid)
        });
        let (valid, refused): (Vec<_>, Vec<_>) = checked.partition(|(_, valid)| valid.is_ok());
        if !refused.is_empty() {
            return self.none_measured(valid.len(), refused);
        }
        let engine = Engine::find(self.args.engine.as_deref())?;
        for (test, valid) in valid {
            let valid = valid?;
            if let Some(note) = local::notes(&test.spec)
                && !self.args.quiet
            {
                out::warn(&format!("note: {note}"));
            }
            let (test, measurements, interrupted) =
                self.local_test(&engine, test, &valid, interrupt).await?;
            self.ended(test, &measurements)?;
            if interrupted {
                break;
            }
        }
        Ok(())
    }

    /// Nobody has to wait for the first test's measurement to hear that the second is wrong.
    fn none_measured(
        &mut self,
        valid: usize,
        refused: Vec<(NetTest, Result<ValidTest, Refusal>)>,
    ) -> anyhow::Result<()> {
        for (test, checked) in refused {
            if let Err(refusal) = checked {
                let test = local::refused(test, &local_uid()?, &refusal, Timestamp::now());
                self.ended(test, &[])?;
            }
        }
        if valid > 0 {
            out::warn("nothing was measured: first every test must be valid");
        }
        Ok(())
    }

    /// One test; whether it was interrupted.
    async fn local_test(
        &self,
        engine: &Engine,
        test: NetTest,
        valid: &ValidTest,
        interrupt: &mut Interrupt,
    ) -> anyhow::Result<(NetTest, Vec<Measurement>, bool)> {
        let uid = local_uid()?;
        if valid.wants_exclusive_cpus() {
            let test = local::concluded(
                test,
                valid,
                &uid,
                End::exclusive_not_granted(),
                Timestamp::now(),
            );
            return Ok((test, Vec::new(), false));
        }
        let mut progress = Progress::new(self.args.quiet);
        progress.begin(test.metadata.name.as_deref().unwrap_or_default(), valid);
        let mut on_event = |event: &_| progress.event(event);
        let measured = local::measure(engine, valid, &uid, &mut on_event, interrupt.came()).await;
        drop(progress);
        let end = End::of(valid, &measured);
        let interrupted = matches!(measured, Err(LocalError::Interrupted { .. }));
        let measurements = measured
            .map(|measured| measured.measurements)
            .unwrap_or_default();
        let test = local::concluded(test, valid, &uid, end, Timestamp::now());
        Ok((test, measurements, interrupted))
    }

    async fn cluster(
        &mut self,
        manifests: Vec<Manifest>,
        interrupt: &mut Interrupt,
    ) -> anyhow::Result<()> {
        let refused: Vec<String> = manifests
            .iter()
            .filter_map(|Manifest { test, .. }| {
                let refusal = check(test).err()?;
                Some(format!(
                    "error: {} is not valid: {refusal}",
                    test.name_any()
                ))
            })
            .collect();
        if !refused.is_empty() {
            refused.iter().for_each(|line| out::warn(line));
            out::warn("nothing was applied: first every test must be valid");
            self.ending = Ending::NotMeasured;
            return Ok(());
        }
        let connection = cluster::connect(
            self.args.kubeconfig.as_deref(),
            self.args.context.as_deref(),
            self.args.namespace.as_deref(),
        )
        .await?;
        for manifest in manifests {
            let name = manifest.test.metadata.name.clone().unwrap_or_default();
            let ended = tokio::select! {
                ended = self.cluster_test(&connection, &manifest) => Some(ended),
                () = interrupt.came() => None,
            };
            match ended {
                Some(Ok(test)) => self.ended(test, &[])?,
                // One test that cannot run does not keep the others from it.
                Some(Err(error)) => {
                    out::warn(&format!("error: {error}"));
                    self.ending = Ending::NotMeasured;
                }
                None => {
                    out::warn(&format!(
                        "interrupted: {name} goes on in the cluster; kubectl get nettest/{name}"
                    ));
                    self.ending = Ending::NotMeasured;
                    break;
                }
            }
        }
        Ok(())
    }

    async fn cluster_test(
        &self,
        connection: &Connection,
        manifest: &Manifest,
    ) -> anyhow::Result<NetTest> {
        let metadata = &manifest.test.metadata;
        let namespace = self
            .args
            .namespace
            .as_ref()
            .or(metadata.namespace.as_ref())
            .unwrap_or(&connection.namespace);
        if let (Some(asked), Some(written)) = (&self.args.namespace, &metadata.namespace)
            && asked != written
        {
            anyhow::bail!(
                "the file puts the test into namespace {written}, and -n says {asked}: leave one of them out"
            );
        }
        let name = metadata.name.as_deref().unwrap_or_default();
        let api: Api<NetTest> = Api::namespaced(connection.client.clone(), namespace);
        let applied = cluster::apply(
            &api,
            name,
            &manifest.document,
            namespace,
            self.args.force_conflicts,
        )
        .await?;
        let progress = Progress::new(self.args.quiet);
        progress.note(&format!("{name}: applied in namespace {namespace}"));
        let on_news = |news: &str| progress.note(&format!("{name}: {news}"));
        let mut ended = if cluster::state(&applied) == State::Ended {
            let runs: Api<NetTestRun> = Api::namespaced(connection.client.clone(), namespace);
            let run = cluster::again(&runs, &applied).await?;
            on_news(&format!(
                "unchanged, and measured before; measured again as {}",
                run.name_any()
            ));
            let run = cluster::wait(&runs, &run, self.args.timeout, &on_news).await?;
            let mut test = applied;
            // The result before has no part in this one.
            test.status = None;
            test.status = Some(test_status(&test, Some(&run), Timestamp::now()));
            test
        } else {
            cluster::wait(&api, &applied, self.args.timeout, &on_news).await?
        };
        // Who set which field: nobody reads it, and kubectl hides it too.
        ended.metadata.managed_fields = None;
        Ok(ended)
    }

    /// People see each test when it ends.
    fn ended(&mut self, test: NetTest, measurements: &[Measurement]) -> anyhow::Result<()> {
        self.ending = self.ending.max(Ending::of(&test));
        if !self.args.output.is_object() {
            let wide = self.args.output == Output::Wide;
            out::print(&show::test::text(&test, measurements, wide))?;
        }
        self.tests.push(test);
        Ok(())
    }

    fn finish(self) -> anyhow::Result<Ending> {
        let format = match self.args.output {
            Output::Yaml => Some(object::Format::Yaml),
            Output::Json => Some(object::Format::Json),
            Output::Table | Output::Wide => None,
        };
        if let Some(format) = format
            && !self.tests.is_empty()
        {
            out::print(&object::render(&self.tests, format)?)?;
        }
        if let Some(file) = self.args.report.as_deref() {
            object::write_report(&self.tests, file)?;
            if !self.args.quiet {
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

fn local_uid() -> anyhow::Result<RunUid> {
    let random = local::random::<16>()
        .map_err(|error| anyhow::anyhow!("no random numbers from the system: {error}"))?;
    Ok(RunUid(hex(&random)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
