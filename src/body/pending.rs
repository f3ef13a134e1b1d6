//! A value that is known later: how a stream ended, how a mirrored copy fared.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use futures_channel::oneshot;

/// The end on which the value is waited for. It always resolves: when the other end is dropped unsettled, with the
/// value named when the pair was made.
#[derive(Debug)]
pub struct Pending<T> {
    receiver: oneshot::Receiver<T>,
}

/// The end that settles the value, once.
#[derive(Debug)]
pub struct Settle<T> {
    sender: Option<oneshot::Sender<T>>,
    otherwise: Option<T>,
}

/// A pair; `otherwise` is the value when [`Settle`] is dropped without having been used.
pub fn pending<T>(otherwise: T) -> (Settle<T>, Pending<T>) {
    let (sender, receiver) = oneshot::channel();
    (
        Settle {
            sender: Some(sender),
            otherwise: Some(otherwise),
        },
        Pending { receiver },
    )
}

impl<T> Settle<T> {
    /// Settles the value. That nobody waits for it any more is not an error.
    pub fn settle(mut self, value: T) {
        self.otherwise = None;
        if let Some(sender) = self.sender.take() {
            let _ = sender.send(value);
        }
    }
}

impl<T> Drop for Settle<T> {
    fn drop(&mut self) {
        if let (Some(sender), Some(value)) = (self.sender.take(), self.otherwise.take()) {
            let _ = sender.send(value);
        }
    }
}

impl<T> Future for Pending<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match Pin::new(&mut self.receiver).poll(context) {
            Poll::Ready(Ok(value)) => Poll::Ready(value),
            // `Settle` always sends, so a closed channel means the value was taken before: polled after completion.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}
