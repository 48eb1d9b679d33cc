//! Notices that the process has forked, without a system call per statement.
//!
//! One page is marked to be wiped in children (Linux 4.14 and newer). It holds the process's generation; a child
//! finds zero and takes the next number. Without such pages the process id is asked for instead.

#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

static PAGE: AtomicPtr<u64> = AtomicPtr::new(ptr::null_mut());
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A number that differs between a process and its forked children.
#[inline]
pub(super) fn generation() -> u64 {
    let page = PAGE.load(Ordering::Acquire);
    if page.is_null() {
        return first();
    }
    // SAFETY: the page is mapped for ever and only accessed atomically.
    let current = unsafe { AtomicU64::from_ptr(page) }.load(Ordering::Relaxed);
    if current != 0 { current } else { renew(page) }
}

#[cold]
fn renew(page: *mut u64) -> u64 {
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    // SAFETY: as in `generation`.
    let cell = unsafe { AtomicU64::from_ptr(page) };
    match cell.compare_exchange(0, next, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => next,
        Err(other) => other,
    }
}

#[cold]
fn first() -> u64 {
    const SIZE: usize = 4096;
    // SAFETY: an anonymous private mapping of one page; no address is asked for.
    let page = unsafe {
        libc::mmap(
            ptr::null_mut(),
            SIZE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return u64::from(std::process::id());
    }
    // SAFETY: the page was mapped above.
    if unsafe { libc::madvise(page, SIZE, libc::MADV_WIPEONFORK) } != 0 {
        // SAFETY: the page was mapped above and nobody else knows it.
        unsafe { libc::munmap(page, SIZE) };
        return u64::from(std::process::id());
    }
    let page = page.cast::<u64>();
    match PAGE.compare_exchange(ptr::null_mut(), page, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => renew(page),
        Err(winner) => {
            // SAFETY: as above; another thread's page is in use.
            unsafe { libc::munmap(page.cast(), SIZE) };
            // SAFETY: mapped for ever.
            match unsafe { AtomicU64::from_ptr(winner) }.load(Ordering::Relaxed) {
                0 => renew(winner),
                current => current,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_process_keeps_its_generation() {
        assert_eq!(generation(), generation());
    }

    #[test]
    fn a_forked_child_has_another_generation() {
        let mine = generation();
        // SAFETY: the child only computes and leaves by _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(i32::from(generation() == mine)) };
        }
        let mut status = -1;
        // SAFETY: waits for the child made above.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
        assert_eq!(generation(), mine);
    }
}
