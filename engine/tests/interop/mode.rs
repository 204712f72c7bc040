//! One cell of the matrix: protocol x direction x streams.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    Forward,
    Reverse,
    Bidirectional,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mode {
    pub udp: bool,
    pub direction: Direction,
    pub streams: u64,
}

impl Mode {
    pub fn all() -> impl Iterator<Item = Mode> {
        [false, true].into_iter().flat_map(|udp| {
            [
                Direction::Forward,
                Direction::Reverse,
                Direction::Bidirectional,
            ]
            .into_iter()
            .flat_map(move |direction| {
                [1, 4].into_iter().map(move |streams| Mode {
                    udp,
                    direction,
                    streams,
                })
            })
        })
    }

    /// The client's flags. Rates are held down so that the two CPUs of a test machine lose nothing by themselves.
    pub fn flags(self) -> Vec<String> {
        let mut flags: Vec<String> = ["-t", "1", "-i", "0.5"].map(String::from).to_vec();
        if self.udp {
            flags.extend(["-u", "-b", "8M", "-l", "1400"].map(String::from));
        } else {
            flags.extend(["-b", "200M"].map(String::from));
        }
        flags.extend(["-P".to_owned(), self.streams.to_string()]);
        match self.direction {
            Direction::Forward => {}
            Direction::Reverse => flags.push("-R".into()),
            Direction::Bidirectional => flags.push("--bidir".into()),
        }
        flags
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {:?} -P {}",
            if self.udp { "UDP" } else { "TCP" },
            self.direction,
            self.streams
        )
    }
}
