//! Unstable: the repeats of a variant lie further apart than the test allows.

use crate::{
    valid::ValidTest,
    verdict::{is_unstable, spread_in_words},
};
use nettest_api::{
    Reason,
    diagnosis::Diagnosis,
    result::{Flow, VariantResult},
};

pub(super) fn told(test: &ValidTest, result: &VariantResult) -> Option<Diagnosis> {
    let flow = match result.flow {
        Flow::ClientToServer => "client to server",
        Flow::ServerToClient => "server to client",
    };
    is_unstable(test, result).then(|| Diagnosis {
        reason: Reason::Unstable.as_str().to_owned(),
        message: format!("{flow}: {}", spread_in_words(test, result)),
        hint: "look for what else uses the path and the nodes' CPUs; give traffic.duration and traffic.omit more time, or both ends CPUs of their own (cpu.mode: Exclusive); or allow a larger repeats.maxSpreadPercent".to_owned(),
    })
}
