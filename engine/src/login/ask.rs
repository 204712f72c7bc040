//! The client's password: from the configuration (`IPERF3_PASSWORD`), or from the terminal without an echo.

use super::LoginError;
use crate::session::{Login, Stop, StopCause};
use crate::sock::Hidden;
use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader, Write};

/// A password, or the wish to end meanwhile.
pub async fn password(
    login: &Login,
    stop: &mut Stop,
) -> Result<Result<String, StopCause>, LoginError> {
    if let Some(password) = &login.password {
        return Ok(Ok(password.0.clone()));
    }
    let none = |source| LoginError::NoPassword {
        username: login.username.clone(),
        source,
    };
    let open = || OpenOptions::new().read(true).write(true).open("/dev/tty");
    let mut terminal = open().map_err(none)?;
    let reader = terminal.try_clone().map_err(none)?;
    let hidden = Hidden::on(&terminal).map_err(none)?;
    terminal.write_all(b"Password: ").map_err(none)?;
    let reading = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        match BufReader::new(reader).read_line(&mut line) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(line.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) => Err(error),
        }
    });
    let read = tokio::select! {
        read = reading => Ok(read),
        cause = stop.asked() => Err(cause),
    };
    // The echo comes back, whatever came: nobody waits for the reader once the user wants to end.
    drop(hidden);
    let _ = terminal.write_all(b"\n");
    match read {
        Ok(Ok(line)) => line.map(Ok).map_err(none),
        Ok(Err(error)) => Err(none(io::Error::other(error))),
        Err(cause) => Ok(Err(cause)),
    }
}
