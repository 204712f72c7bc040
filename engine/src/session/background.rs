//! A task of a server's own, which ends with it: a port is free again at once.

use std::future::Future;
use tokio::task::JoinHandle;

#[derive(Debug)]
pub struct Background(JoinHandle<()>);

impl Background {
    pub fn start(task: impl Future<Output = ()> + Send + 'static) -> Self {
        Background(tokio::spawn(task))
    }

    pub fn is_running(&self) -> bool {
        !self.0.is_finished()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn what_a_task_holds_is_free_when_it_is_dropped() {
        let (held, released) = oneshot::channel::<()>();
        let task = Background::start(async move {
            let _held = held;
            std::future::pending().await
        });
        assert!(task.is_running());
        drop(task);
        let ended = tokio::time::timeout(Duration::from_secs(20), released).await;
        assert!(ended.is_ok_and(|held| held.is_err()));
    }
}
