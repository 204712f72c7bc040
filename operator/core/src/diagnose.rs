//! Why the throughput is what it is, where the figures of a run show it. People act on this: a rule says nothing
//! as soon as something else may be the cause, or a figure that it needs is unknown.

mod pacing;

use crate::valid::ValidTest;
use nettest_api::{diagnosis::Diagnosis, result::VariantResult};
use nettest_report::digest::Digest;

/// What held each flow of a measured run. `results` are those of the digest ([`crate::aggregate::aggregate`]).
pub fn diagnose(test: &ValidTest, digest: &Digest, results: &[VariantResult]) -> Vec<Diagnosis> {
    results
        .iter()
        .filter_map(|result| {
            let mut variants = test.variants.iter();
            let variant = variants.find(|variant| {
                variant.name == result.variant && variant.flows().contains(&result.flow)
            })?;
            pacing::limited(variant, digest, result)
        })
        .collect()
}
