//! Time and chance, handed in, so that tests decide them.
//!
//! Touches nothing but the clock and the operating system's random numbers; decisions take both as arguments.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use rand::SeedableRng;
use rand::rngs::{SmallRng, SysRng};

/// A clock that never goes back.
pub trait Clock {
    /// Time since a fixed moment, the same one for all processes of the machine.
    fn now(&self) -> Duration;
}

/// A source of random numbers. For balancing only: it is quick and not fit for secrets.
pub trait Random {
    /// Any number.
    fn next(&mut self) -> u64;

    /// A number from 0 to `bound` - 1, all equally likely; 0 when `bound` is 0.
    fn below(&mut self, bound: usize) -> usize {
        // The upper half of a 128-bit product; the bias is below bound / 2^64.
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        // Linux has had this clock for as long as there are shared libraries like this one.
        clock_gettime(ClockId::CLOCK_MONOTONIC).map(Duration::from).unwrap_or_default()
    }
}

/// A quick generator, seeded by the operating system.
///
/// One per handle, never one per process: a server that forks its workers would otherwise give all of them the same
/// numbers, and with them the same replica.
#[derive(Debug)]
pub struct SystemRandom(SmallRng);

impl SystemRandom {
    /// Takes a seed from the operating system, or from the clock and the process id when that fails.
    pub fn new() -> Self {
        SystemRandom(SmallRng::try_from_rng(&mut SysRng).unwrap_or_else(|_| {
            let time = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(0, |since| since.as_nanos() as u64);
            SmallRng::seed_from_u64(time ^ (u64::from(std::process::id()) << 32))
        }))
    }
}

impl Default for SystemRandom {
    fn default() -> Self {
        SystemRandom::new()
    }
}

impl Random for SystemRandom {
    fn next(&mut self) -> u64 {
        use rand::Rng;
        self.0.next_u64()
    }
}

/// A random source for tests: the numbers come from a list.
#[cfg(test)]
pub(crate) mod fixed {
    /// Gives the listed results of `below` in turn, over and over; each is taken modulo the bound.
    pub(crate) struct Script {
        values: Vec<usize>,
        at: usize,
    }

    impl Script {
        pub(crate) fn new(values: &[usize]) -> Self {
            Script { values: values.to_vec(), at: 0 }
        }

        /// How many numbers were drawn.
        pub(crate) fn drawn(&self) -> usize {
            self.at
        }
    }

    impl super::Random for Script {
        fn next(&mut self) -> u64 {
            let value = self.values[self.at % self.values.len()];
            self.at += 1;
            value as u64
        }

        fn below(&mut self, bound: usize) -> usize {
            if bound == 0 { 0 } else { self.next() as usize % bound }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_go_back() {
        let first = SystemClock.now();
        assert!(SystemClock.now() >= first);
    }

    #[test]
    fn numbers_stay_below_the_bound_and_reach_every_value() {
        let mut random = SystemRandom::new();
        let mut seen = [0u32; 3];
        for _ in 0..3000 {
            seen[random.below(3)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 700), "{seen:?}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn two_generators_differ() {
        let (mut one, mut two) = (SystemRandom::new(), SystemRandom::new());
        assert_ne!([one.next(), one.next()], [two.next(), two.next()]);
    }
}
