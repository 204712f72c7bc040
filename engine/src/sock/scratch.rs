//! Where payload goes that nobody reads, for more streams than CPUs: one buffer a CPU. Of 128 buffers of 128 KiB none is
//! in a cache when its stream runs next; what the streams of one CPU share stays in it, and they need a hundredth of the
//! memory.

use socket2::Socket;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of one CPU's buffer: the most that one call receives.
const SLOT: usize = 128 * 1024;
/// So many streams a CPU still have buffers of their own: with few of them, two CPUs could else write to one buffer when
/// a stream that waited for data wakes up on the other CPU.
const OWN_A_CPU: usize = 2;

/// A part in the buffers of all CPUs. They live as long as the process.
#[derive(Debug)]
pub struct Scratch(&'static Slots);

#[derive(Debug)]
struct Slots {
    base: NonNull<MaybeUninit<u8>>,
    count: usize,
}

// SAFETY: nothing in the process reads or writes what `base` points to; only the kernel writes to it, and for the
// kernel it makes no difference which thread asks for that, or whether two do at the same time.
unsafe impl Send for Slots {}
// SAFETY: as above.
unsafe impl Sync for Slots {}

static SLOTS: OnceLock<Option<Slots>> = OnceLock::new();
static STREAMS: AtomicUsize = AtomicUsize::new(0);

/// Counts a receiving stream as long as it lives.
#[derive(Debug)]
pub struct Receiving(());

impl Receiving {
    /// One more stream; true: it is one of so many that they should share.
    pub fn begin() -> (Self, bool) {
        let before = STREAMS.fetch_add(1, Ordering::Relaxed);
        (Receiving(()), is_one_of_many(before, cpus().allowed))
    }
}

impl Drop for Receiving {
    fn drop(&mut self) {
        STREAMS.fetch_sub(1, Ordering::Relaxed);
    }
}

fn is_one_of_many(before: usize, cpus: usize) -> bool {
    before >= cpus * OWN_A_CPU
}

/// CPUs that this process may use.
#[derive(Debug, Clone, Copy)]
struct Cpus {
    allowed: usize,
    /// Above the highest number of any: allowed are perhaps 2 and 4 of 64.
    end: usize,
}

/// As the first caller sees them: a pinned thread would see its own only, see [`note_cpus`].
fn cpus() -> Cpus {
    static CPUS: OnceLock<Cpus> = OnceLock::new();
    *CPUS.get_or_init(|| {
        let allowed = super::allowed_cpus().unwrap_or_default();
        Cpus {
            allowed: allowed.len().max(1),
            end: allowed.last().map_or(1, |highest| highest + 1),
        }
    })
}

/// To be called as the program begins, before a thread is pinned.
pub fn note_cpus() {
    cpus();
}

impl Scratch {
    /// Errors: no memory as the first stream asked. A buffer of its own does for each.
    pub fn shared() -> io::Result<Self> {
        let slots = SLOTS.get_or_init(|| {
            let count = cpus().end;
            let mut bytes: Vec<MaybeUninit<u8>> = Vec::new();
            bytes.try_reserve_exact(SLOT * count).ok()?;
            // Never given back, and no page of it exists before the kernel writes there.
            let base = NonNull::new(std::mem::ManuallyDrop::new(bytes).as_mut_ptr())?;
            Some(Slots { base, count })
        });
        slots
            .as_ref()
            .map(Scratch)
            .ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// Bytes that arrived, and are nowhere now; 0: the peer has closed.
    pub fn receive(&self, socket: &Socket) -> io::Result<usize> {
        let Slots { base, count } = self.0;
        // SAFETY: takes nothing and touches no memory of ours; -1 where the kernel does not tell.
        let cpu = usize::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0);
        // SAFETY: the offset is within the one allocation of `SLOT * count` bytes.
        let slot = unsafe { base.add(cpu % count * SLOT) };
        // SAFETY: the kernel writes at most SLOT bytes into the slot, which is never freed and of which no reference
        // exists. The stream may wake up on another CPU than that of the slot, and two may then write to it at once:
        // nobody ever looks at what is there.
        let count = unsafe { libc::recv(socket.as_raw_fd(), slot.as_ptr().cast(), SLOT, 0) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn many_streams_receive_every_byte_of_theirs_into_what_they_share() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let received: Vec<usize> = std::thread::scope(|scope| {
            let streams: Vec<_> = (0..8)
                .map(|index| {
                    let mut sender = TcpStream::connect(addr).unwrap();
                    let receiver = Socket::from(listener.accept().unwrap().0);
                    scope.spawn(move || sender.write_all(&vec![7; 100_000 + index]).unwrap());
                    scope.spawn(move || {
                        let scratch = Scratch::shared().unwrap();
                        std::iter::from_fn(|| Some(scratch.receive(&receiver).unwrap()))
                            .take_while(|count| *count > 0)
                            .sum()
                    })
                })
                .collect();
            streams
                .into_iter()
                .map(|stream| stream.join().unwrap())
                .collect()
        });
        let sent: Vec<usize> = (0..8).map(|index| 100_000 + index).collect();
        assert_eq!(received, sent);
    }

    #[test]
    fn a_closed_and_an_empty_socket_are_told_apart() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let receiver = Socket::from(listener.accept().unwrap().0);
        receiver.set_nonblocking(true).unwrap();
        let scratch = Scratch::shared().unwrap();
        let nothing = scratch.receive(&receiver).unwrap_err();
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        drop(sender);
        receiver.set_nonblocking(false).unwrap();
        assert_eq!(scratch.receive(&receiver).unwrap(), 0);
    }

    #[test]
    fn few_streams_do_not_share_and_many_do() {
        // Other tests of this process have streams, too: only the end of many is certain.
        let many: Vec<_> = (0..cpus().allowed * OWN_A_CPU + 1)
            .map(|_| Receiving::begin())
            .collect();
        assert!(many.last().unwrap().1);
        for (before, cpus, shares) in [
            (0, 1, false),
            (1, 1, false),
            (2, 1, true),
            (7, 4, false),
            (8, 4, true),
        ] {
            assert_eq!(is_one_of_many(before, cpus), shares, "{before} of {cpus}");
        }
    }
}
