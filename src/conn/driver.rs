//! Drives one `async` operation: a blocking call runs it to its end, a non-blocking one takes a step.

use std::future::Future;

/// Runs an operation to its end on the calling thread.
pub fn block_on<F: Future>(_operation: F) -> F::Output {
    unimplemented!()
}
