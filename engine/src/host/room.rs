//! Whether this process's limits leave room for what a runtime needs: tokio panics where it gets no thread or no
//! descriptor.

use std::fs::File;
use std::io;
use std::sync::mpsc;
use std::thread::Builder;

/// Starts `count` threads that live at the same time, and ends them.
pub fn threads(count: usize) -> io::Result<()> {
    // The first that cannot be started drops this end, and all others with it.
    let (keep, ended) = mpsc::channel::<()>();
    let ended = std::sync::Arc::new(std::sync::Mutex::new(ended));
    let started = (0..count)
        .map(|_| {
            let ended = ended.clone();
            Builder::new().spawn(move || {
                let waits = ended.lock().map(|ended| ended.recv().is_ok());
                drop(waits);
            })
        })
        .collect::<Vec<_>>();
    drop(keep);
    let mut room = Ok(());
    for thread in started {
        match thread {
            Ok(thread) => drop(thread.join()),
            Err(error) => room = Err(error),
        }
    }
    room
}

/// Holds `count` descriptors at the same time, all of one open file, and closes them.
pub fn descriptors(count: usize) -> io::Result<()> {
    let file = File::open("/proc/self/stat")?;
    let more: io::Result<Vec<_>> = (1..count).map(|_| file.try_clone()).collect();
    more.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_a_few() {
        assert!(threads(4).is_ok());
        assert!(descriptors(4).is_ok());
        assert!(descriptors(1 << 24).is_err());
    }
}
