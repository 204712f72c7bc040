//! What can go wrong on the control connection.

use super::frame::TooLong;
use super::params::ParamsError;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WireError {
    #[error("the peer did not answer within {seconds} s during {during}")]
    Deadline { during: &'static str, seconds: u64 },
    #[error("the peer did not answer at all within the {millis} ms of the connect timeout")]
    Mute { millis: u64 },
    #[error("the peer closed the control connection during {during}")]
    Closed { during: &'static str },
    #[error("an unexpected control byte {byte} arrived during {during}")]
    Unexpected { byte: i8, during: &'static str },
    #[error("a block of {} bytes was announced where at most {} are allowed", .0.announced, .0.cap)]
    TooLong(TooLong),
    #[error("the {what} are not valid JSON of the right shape: {why}")]
    BadJson { what: &'static str, why: String },
    #[error(transparent)]
    Params(#[from] ParamsError),
    #[error("the server is busy or refused this client")]
    Denied,
    #[error("the server reported error {code} (errno {errno})")]
    Server { code: i32, errno: i32 },
    #[error("the server was terminated")]
    ServerTerminated,
    #[error("the client was terminated")]
    ClientTerminated,
}
