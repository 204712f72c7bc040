//! `run --local`: engine processes on this machine.

use super::{Session, check};
use crate::interrupt::Interrupt;
use crate::local::{self, End, Engine, LocalError};
use crate::manifest::Manifest;
use crate::show::{out, progress::Progress, test::Ended};
use jiff::Timestamp;
use nettest_api::NetTest;
use nettest_core::valid::{RunUid, ValidTest};
use nettest_core::validate::Refusal;
use nettest_report::event::Measurement;

impl Session<'_> {
    pub(super) async fn local(
        &mut self,
        manifests: Vec<Manifest>,
        interrupt: &mut Interrupt,
    ) -> anyhow::Result<()> {
        let checked = manifests.into_iter().map(|Manifest { mut test, .. }| {
            // As the first apply to a cluster would.
            test.metadata.generation = Some(1);
            let valid = check(&test).and_then(local::here);
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
                && !self.args.progress.quiet
            {
                out::warn(&format!("note: {note}"));
            }
            let (ended, interrupted) = self.local_test(&engine, test, &valid, interrupt).await?;
            self.ended(ended)?;
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
                self.ended(of(test, Vec::new()))?;
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
    ) -> anyhow::Result<(Ended, bool)> {
        let uid = local_uid()?;
        if valid.requires_exclusive_cpus() {
            let test = local::concluded(
                test,
                valid,
                &uid,
                End::exclusive_not_granted(),
                Timestamp::now(),
            );
            return Ok((of(test, Vec::new()), false));
        }
        let mut progress = Progress::new(self.args.progress.quiet);
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
        Ok((of(test, measurements), interrupted))
    }
}

fn of(test: NetTest, measurements: Vec<Measurement>) -> Ended {
    Ended {
        test,
        measurements,
        run: None,
    }
}

fn local_uid() -> anyhow::Result<RunUid> {
    let random = local::random::<16>()
        .map_err(|error| anyhow::anyhow!("no random numbers from the system: {error}"))?;
    Ok(RunUid(hex(&random)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
