//! Why a pass failed and is tried again.

use crate::{client::CallError, random::RandomError};

#[derive(Debug, thiserror::Error)]
pub enum PassError {
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Random(#[from] RandomError),
    #[error(
        "the name {name} is taken by another object ({holder}): delete it, or wait until it is gone"
    )]
    NameTaken { name: String, holder: String },
    #[error("the pass panicked: a defect, told above; it is tried again")]
    Panicked,
    #[error("the API server refuses the {what} {name}: {message}")]
    Refused {
        what: &'static str,
        name: String,
        message: String,
    },
}

impl PassError {
    /// A name for metrics: few values, never free text.
    pub fn reason(&self) -> &'static str {
        match self {
            PassError::Call(error) => error.reason(),
            PassError::Random(_) => "Random",
            PassError::NameTaken { .. } => "NameTaken",
            PassError::Panicked => "Panicked",
            PassError::Refused { .. } => "Refused",
        }
    }
}
