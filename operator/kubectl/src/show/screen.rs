//! What standard output is: how wide, and whether it takes colours.

use super::colour::Colour;
use std::io::IsTerminal;

#[derive(Debug, Clone, Copy)]
pub struct Screen {
    pub colour: Colour,
    /// Columns of a terminal. `None`: a file or a pipe, which takes any.
    pub width: Option<usize>,
}

impl Screen {
    pub fn of_stdout() -> Screen {
        let out = std::io::stdout();
        let width = out
            .is_terminal()
            .then(|| terminal_size::terminal_size_of(&out))
            .flatten();
        Screen {
            colour: Colour::of_stdout(),
            width: width.map(|(width, _)| usize::from(width.0)),
        }
    }

    #[cfg(test)]
    pub fn plain(width: Option<usize>) -> Screen {
        Screen {
            colour: Colour::none(),
            width,
        }
    }
}
