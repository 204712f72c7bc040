//! One program that runs: its output, and the CPU time that it took.

use crate::keeper;
use anyhow::{Context, Result};
use nix::{
    sys::{
        signal::{Signal, killpg},
        wait::{Id, WaitPidFlag, waitid},
    },
    unistd::Pid,
};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};
use wait4::Wait4;

#[derive(Debug)]
pub struct Process {
    child: Child,
    pid: Pid,
    /// Files, not pipes: nobody has to read along while it is measured.
    out: File,
    err: File,
    reaped: bool,
}

#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// User and system time of all its threads, to the microsecond.
    pub cpu: Duration,
    pub at: Instant,
    pub out: String,
    pub err: String,
}

impl Process {
    /// Runs in the calling thread's network namespace, and is killed when it takes longer than allowed.
    pub fn start(program: &Path, arguments: &[String], allowed: Duration) -> Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments);
        Self::start_command(command, allowed)
    }

    /// The same of a command that has more to it than program and arguments.
    pub fn start_command(mut command: Command, allowed: Duration) -> Result<Self> {
        let (out, err) = (tempfile::tempfile()?, tempfile::tempfile()?);
        command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(err.try_clone()?);
        let mut started = None;
        keeper::keep(allowed, || -> Result<Pid> {
            let child = command
                .spawn()
                .with_context(|| format!("{} does not start", command.get_program().display()))?;
            let pid = Pid::from_raw(child.id().cast_signed());
            started = Some(child);
            Ok(pid)
        })?;
        let child = started.context("a child that was started")?;
        Ok(Process {
            pid: Pid::from_raw(child.id().cast_signed()),
            child,
            out,
            err,
            reaped: false,
        })
    }

    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// SIGINT, and SIGKILL to one that is still there after the time given. As from a terminal, the whole group
    /// gets it: perf then waits for its program and prints the count, while SIGTERM would end perf alone.
    pub fn tell_to_end(&self, within: Duration) {
        let _ = killpg(self.pid, Signal::SIGINT);
        keeper::allow(self.pid, within);
    }

    /// Killed after this time from now.
    pub fn allow(&self, time: Duration) {
        keeper::allow(self.pid, time);
    }

    pub fn wait(mut self) -> Result<Ended> {
        // It stays a zombie until the keeper has forgotten its number.
        waitid(
            Id::Pid(self.pid),
            WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT,
        )?;
        let at = Instant::now();
        keeper::release(self.pid);
        self.reaped = true;
        let used = self.child.wait4()?;
        Ok(Ended {
            status: used.status,
            cpu: used.rusage.utime + used.rusage.stime,
            at,
            out: whole(&mut self.out)?,
            err: whole(&mut self.err)?,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.reaped {
            let _ = killpg(self.pid, Signal::SIGKILL);
            keeper::release(self.pid);
            let _ = self.child.wait();
        }
    }
}

fn whole(file: &mut File) -> Result<String> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl Ended {
    /// It had to be ended, since it took too long.
    pub fn killed(&self) -> bool {
        self.status.signal() == Some(Signal::SIGKILL as i32)
    }

    /// How it ended if not well: one line, its own words if it had any.
    pub fn fault(&self) -> Option<String> {
        if self.status.success() {
            return None;
        }
        let how = match (self.status.code(), self.status.signal()) {
            (_, Some(9)) => "did not end in time".to_owned(),
            (_, Some(signal)) => format!("ended by signal {signal}"),
            (code, None) => format!("exit status {}", code.unwrap_or(-1)),
        };
        let said = self.err.lines().find(|line| !line.trim().is_empty());
        Some(match said {
            Some(said) => format!("{how}: {}", said.trim()),
            None => how,
        })
    }
}
