//! How far the server's side of a session is.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    AwaitParams,
    Deciding,
    AwaitStreams,
    Running,
    Ending,
    AwaitResults,
    OwnResults,
    AwaitDone,
    Over,
}

impl Phase {
    /// For messages: during …
    pub fn name(self) -> &'static str {
        match self {
            Phase::AwaitParams | Phase::Deciding => "the exchange of parameters",
            Phase::AwaitStreams => "the opening of the streams",
            Phase::Running => "the test",
            Phase::Ending => "the end of the test",
            Phase::AwaitResults | Phase::OwnResults => "the exchange of results",
            Phase::AwaitDone => "the close of the test",
            Phase::Over => "the close",
        }
    }
}
