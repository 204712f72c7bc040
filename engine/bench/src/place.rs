//! The path that is measured: one or two network namespaces without a name, that are gone when the bench is.

use crate::work::Path;
use anyhow::{Context, Result, bail};
use nix::sched::{CloneFlags, setns, unshare};
use std::{
    fs::File,
    os::fd::AsRawFd,
    process::{self, Command},
    thread,
};

const CLIENT: &str = "10.99.0.1";
const SERVER: &str = "10.99.0.2";

#[derive(Debug)]
pub struct Place {
    pub path: Path,
    /// Where the server is reached.
    pub address: &'static str,
    client: Namespace,
    /// None: the client's.
    server: Option<Namespace>,
}

impl Place {
    /// A loopback device of our own (so that nobody else's packets are on it), or a veth pair. Needs root;
    /// without it the machine's own loopback device serves.
    pub fn make(path: Path, root: bool) -> Result<Self> {
        match (path, root) {
            (Path::Lo, false) => Ok(Place {
                path,
                address: "127.0.0.1",
                client: Namespace::Own,
                server: None,
            }),
            (Path::Veth, false) => bail!("a veth pair needs root"),
            (Path::Lo, true) => Ok(Place {
                path,
                address: "127.0.0.1",
                client: Namespace::make()?,
                server: None,
            }),
            (Path::Veth, true) => {
                let (client, server) = (Namespace::make()?, Namespace::make()?);
                let peer = server.file_name()?;
                for (side, words) in [
                    (
                        &client,
                        format!("link add veth0 type veth peer name veth0 netns {peer}"),
                    ),
                    (&client, format!("addr add {CLIENT}/24 dev veth0")),
                    (&client, "link set veth0 up".to_owned()),
                    (&server, format!("addr add {SERVER}/24 dev veth0")),
                    (&server, "link set veth0 up".to_owned()),
                ] {
                    side.inside(|| ip(&words))??;
                }
                Ok(Place {
                    path,
                    address: SERVER,
                    client,
                    server: Some(server),
                })
            }
        }
    }

    pub fn at_client<T: Send>(&self, act: impl FnOnce() -> T + Send) -> Result<T> {
        self.client.inside(act)
    }

    pub fn at_server<T: Send>(&self, act: impl FnOnce() -> T + Send) -> Result<T> {
        self.server.as_ref().unwrap_or(&self.client).inside(act)
    }

    /// The queueing discipline of the device, as `tc` shows it.
    pub fn qdisc(&self) -> Result<String> {
        let device = match self.path {
            Path::Lo => "lo",
            Path::Veth => "veth0",
        };
        let output = self.at_client(|| {
            Command::new("tc")
                .args(["qdisc", "show", "dev", device])
                .output()
        })?;
        let Ok(output) = output else {
            return Ok("not known: no tc".to_owned());
        };
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.split_whitespace().nth(1).unwrap_or("none").to_owned())
    }
}

#[derive(Debug)]
enum Namespace {
    /// That of the bench itself.
    Own,
    /// Lives as long as this file is open or a process is in it.
    Private(File),
}

impl Namespace {
    fn make() -> Result<Self> {
        let file = thread::scope(|scope| {
            scope
                .spawn(|| -> Result<File> {
                    unshare(CloneFlags::CLONE_NEWNET).context("no new network namespace")?;
                    ip("link set lo up")?;
                    Ok(File::open("/proc/thread-self/ns/net")?)
                })
                .join()
        });
        Ok(Namespace::Private(joined(file)??))
    }

    /// A path by which `ip` finds it.
    fn file_name(&self) -> Result<String> {
        match self {
            Namespace::Own => bail!("the machine's own namespace is not given away"),
            Namespace::Private(file) => {
                Ok(format!("/proc/{}/fd/{}", process::id(), file.as_raw_fd()))
            }
        }
    }

    /// A namespace belongs to a thread; children are born into that of the thread that starts them.
    fn inside<T: Send>(&self, act: impl FnOnce() -> T + Send) -> Result<T> {
        let Namespace::Private(file) = self else {
            return Ok(act());
        };
        let done = thread::scope(|scope| {
            scope
                .spawn(|| -> Result<T> {
                    setns(file, CloneFlags::CLONE_NEWNET).context("cannot enter the namespace")?;
                    Ok(act())
                })
                .join()
        });
        joined(done)?
    }
}

fn joined<T>(result: thread::Result<T>) -> Result<T> {
    result.map_err(|_| anyhow::anyhow!("a thread of the bench panicked"))
}

fn ip(words: &str) -> Result<()> {
    let output = Command::new("ip")
        .args(words.split(' '))
        .output()
        .context("no ip: install iproute2")?;
    if !output.status.success() {
        bail!(
            "ip {words}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}
