//! `run` in a cluster: applied, waited for, read.

use super::{Ending, Session, check};
use crate::cluster::{self, Connection, State, Target};
use crate::interrupt::Interrupt;
use crate::manifest::Manifest;
use crate::show::{out, progress::Progress, slow::Slow, test::Ended};
use crate::subject::Subject;
use jiff::Timestamp;
use kube::{Api, ResourceExt};
use nettest_api::{NetTest, NetTestRun, labels};
use nettest_core::names::label_value;
use nettest_core::status::test_status;
use std::convert::Infallible;

impl Session<'_> {
    pub(super) async fn cluster(
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
            self.access.kubeconfig.as_deref(),
            self.access.context.as_deref(),
            self.access.namespace.as_deref(),
        )
        .await?;
        for manifest in manifests {
            let name = manifest.test.metadata.name.clone().unwrap_or_default();
            let ended = tokio::select! {
                ended = self.cluster_test(&connection, &manifest) => Some(ended),
                () = interrupt.came() => None,
            };
            match ended {
                Some(Ok(ended)) => {
                    if self.report.is_some() {
                        self.subject = kept(
                            &connection,
                            &ended.test,
                            &Slow::new(self.args.progress.quiet),
                        )
                        .await;
                    }
                    self.ended(ended)?;
                }
                // One test that cannot run does not keep the others from it.
                Some(Err(error)) => {
                    out::warn(&format!("error: {error}"));
                    self.ending = Ending::NotMeasured;
                }
                None => {
                    let namespace = manifest.test.namespace().or(self.access.namespace.clone());
                    let of_namespace = namespace.map_or_else(String::new, |n| format!(" -n {n}"));
                    out::warn(&format!(
                        "interrupted: {name} goes on in the cluster; follow it with: kubectl nettest watch {name}{of_namespace}"
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
    ) -> anyhow::Result<Ended> {
        let metadata = &manifest.test.metadata;
        let namespace = self
            .access
            .namespace
            .as_ref()
            .or(metadata.namespace.as_ref())
            .unwrap_or(&connection.namespace);
        if let (Some(asked), Some(written)) = (&self.access.namespace, &metadata.namespace)
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
        let progress = Progress::new(self.args.progress.quiet);
        progress.note(&format!("{name}: applied in namespace {namespace}"));
        let on_news = |news: &str| progress.note(&format!("{name}: {news}"));
        let runs: Api<NetTestRun> = Api::namespaced(connection.client.clone(), namespace);
        let (mut test, run) = match alone(&applied) {
            Some(why) => {
                let run = cluster::again(&runs, &applied).await?;
                on_news(&format!("{why} {}", run.name_any()));
                let of_run = format!("{}={}", labels::RUN_UID, run.uid().unwrap_or_default());
                let rows = follow(connection, namespace, &of_run, &progress, self.args.watch);
                let run = tokio::select! {
                    run = cluster::wait(&runs, &run, self.args.timeout, &on_news) => run?,
                    never = rows => match never {},
                };
                let mut test = applied;
                // The result before has no part in this one.
                test.status = None;
                test.status = Some(test_status(&test, Some(&run), Timestamp::now()));
                (test, Some(run))
            }
            None => {
                let of_test = format!("{}={}", labels::TEST, label_value(name));
                let rows = follow(connection, namespace, &of_test, &progress, self.args.watch);
                let test = tokio::select! {
                    test = cluster::wait(&api, &applied, self.args.timeout, &on_news) => test?,
                    never = rows => match never {},
                };
                let run = cluster::run_with_pairs(&runs, &test).await;
                (test, run)
            }
        };
        // Who set which field: nobody reads it, and kubectl hides it too.
        test.metadata.managed_fields = None;
        Ok(Ended {
            test,
            measurements: Vec::new(),
            run,
        })
    }
}

/// The run of a test that has ended, with its pairs and documents. Without them the report is of what the status has.
async fn kept(connection: &Connection, test: &NetTest, slow: &Slow) -> Option<Subject> {
    let connection = Connection {
        namespace: test.namespace()?,
        ..connection.clone()
    };
    let name = test.status.as_ref()?.latest_run.clone()?;
    let read = async {
        let found = cluster::find(&connection, &Target::Run(name)).await?;
        let (run, _) = found.finished()?;
        Subject::kept(&connection, run, slow).await
    };
    read.await
        .inspect_err(|problem| out::warn(&format!("note: the report has no documents: {problem}")))
        .ok()
}

/// The rows of what is measured, if they are wanted; it goes on until it is dropped.
async fn follow(
    connection: &Connection,
    namespace: &str,
    selector: &str,
    progress: &Progress,
    wanted: bool,
) -> Infallible {
    if wanted {
        let print = |line: &str| progress.above(|| out::warn(line.trim_end()));
        let problem = cluster::follow(connection, namespace, selector, &print).await;
        progress.note(&format!("no rows: {problem}"));
    }
    std::future::pending().await
}

/// Why the apply alone measures nothing, and so a run is made of it; its name follows.
fn alone(applied: &NetTest) -> Option<&'static str> {
    if applied.spec.schedule.is_some() {
        return Some("it has a schedule, and by itself runs at its times only; measured now as");
    }
    (cluster::state(applied) == State::Ended)
        .then_some("unchanged, and measured before; measured again as")
}
