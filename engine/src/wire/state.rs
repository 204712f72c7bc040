//! The states that go over the control connection as one signed byte (iperf3's iperf_api.h).

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(i8)]
pub enum State {
    TestStart = 1,
    TestRunning = 2,
    TestEnd = 4,
    ParamExchange = 9,
    CreateStreams = 10,
    ServerTerminate = 11,
    ClientTerminate = 12,
    ExchangeResults = 13,
    DisplayResults = 14,
    IperfDone = 16,
    /// Ours, server to client: a place in line follows (u32, big endian; 1 is next).
    InLine = 32,
    /// Ours: the server asks a client of ours for a sign of life, the client answers the same.
    Alive = 33,
    AccessDenied = -1,
    ServerError = -2,
}

impl State {
    pub fn byte(self) -> u8 {
        self as i8 as u8
    }

    /// `None` for numbers that no peer has a use for (3, 5-8 and 15 exist in iperf3 but never travel).
    pub fn of(byte: u8) -> Option<State> {
        Some(match byte as i8 {
            1 => State::TestStart,
            2 => State::TestRunning,
            4 => State::TestEnd,
            9 => State::ParamExchange,
            10 => State::CreateStreams,
            11 => State::ServerTerminate,
            12 => State::ClientTerminate,
            13 => State::ExchangeResults,
            14 => State::DisplayResults,
            16 => State::IperfDone,
            32 => State::InLine,
            33 => State::Alive,
            -1 => State::AccessDenied,
            -2 => State::ServerError,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_that_is_a_state_comes_back_as_itself() {
        let known: Vec<u8> = (0..=255).filter(|b| State::of(*b).is_some()).collect();
        assert_eq!(
            known,
            [1, 2, 4, 9, 10, 11, 12, 13, 14, 16, 32, 33, 0xfe, 0xff]
        );
        for byte in known {
            assert_eq!(State::of(byte).map(State::byte), Some(byte));
        }
    }
}
