//! The bytes of an execution's parameters: the program's buffers, read once, as they go to a server that takes attributes
//! and to one that does not.

#![allow(unsafe_code)]

use crate::error::Error;
use crate::options::Family;
use crate::session::{Parameters, Request};

use super::super::bind;
use super::super::family::{Abi, Bind};
use super::Statement;

/// Memory that is used again for every execution.
#[derive(Default)]
pub struct Encoded {
    /// How many parameters and attributes there are.
    count: usize,
    /// How many of them are the statement's own parameters, which come first.
    own: usize,
    /// One bit for each.
    nulls: Vec<u8>,
    /// The same for the statement's own; only where there are others.
    own_nulls: Vec<u8>,
    /// Two bytes for each of the statement's own.
    pub types: Vec<u8>,
    /// Two bytes and a name for each.
    named_types: Vec<u8>,
    pub values: Vec<u8>,
    /// Bytes of `values` that are the statement's own.
    own_values: usize,
}

impl Encoded {
    /// As the session sends it; `bulk`: an array of executions, which has neither names nor NULL maps.
    pub fn request(&self, flags: u8, new_types: bool, bulk: bool) -> Request<'_> {
        if bulk {
            let parameters = Parameters { count: self.count, nulls: &[], types: &self.types, values: &self.values };
            return Request { flags, parameters, named: None, new_types, bulk };
        }
        let all = Parameters { count: self.count, nulls: &self.nulls, types: &self.named_types, values: &self.values };
        let own = if self.count == self.own {
            Parameters { types: &self.types, ..all }
        } else {
            let values = self.values.get(..self.own_values).unwrap_or(&[]);
            Parameters { count: self.own, nulls: &self.own_nulls, types: &self.types, values }
        };
        // A server remembers the types of the statement's own parameters only.
        let new_types = new_types || self.count > self.own;
        Request { flags, parameters: own, named: Some(all), new_types, bulk }
    }

    /// Begins with nothing.
    pub fn clear(&mut self, count: usize, own: usize) {
        (self.count, self.own, self.own_values) = (count, own, 0);
        self.nulls.clear();
        self.nulls.resize(count.div_ceil(8), 0);
        self.values.clear();
    }

    fn set_null(&mut self, number: usize) {
        if let Some(byte) = self.nulls.get_mut(number / 8) {
            *byte |= 1 << (number % 8);
        }
    }

    /// The types, and those with names for servers that take them.
    fn put_types(&mut self, binds: &[Bind], names: &[Vec<u8>]) {
        self.types.clear();
        self.named_types.clear();
        for (number, bind) in binds.iter().enumerate() {
            let kind = bind::wire_type(bind).to_le_bytes();
            if number < self.own {
                self.types.extend_from_slice(&kind);
            }
            self.named_types.extend_from_slice(&kind);
            match names.get(number) {
                Some(name) => self.named_types.extend_from_slice(name),
                None => self.named_types.push(0),
            }
        }
    }

    /// The NULL map of the statement's own parameters, where others follow them.
    fn finish(&mut self) {
        if self.count == self.own {
            return;
        }
        self.own_nulls.clear();
        self.own_nulls.extend_from_slice(self.nulls.get(..self.own.div_ceil(8)).unwrap_or(&[]));
        if let Some(last) = self.own_nulls.last_mut()
            && !self.own.is_multiple_of(8)
        {
            *last &= (1 << (self.own % 8)) - 1;
        }
    }

    /// The bytes of parameters, as they stand in front of a statement's text: number, number of sets, NULL map, types
    /// with names, values.
    pub fn attributes(&self) -> Vec<u8> {
        let mut bytes = length(self.count);
        bytes.push(1);
        bytes.extend_from_slice(&self.nulls);
        bytes.push(1);
        bytes.extend_from_slice(&self.named_types);
        bytes.extend_from_slice(&self.values);
        bytes
    }

    /// Reads the program's buffers.
    ///
    /// # Safety
    /// `binds` were prepared, and what they point to is still the program's; there are `own` parameters, and attributes
    /// behind them.
    pub unsafe fn put<F: Abi>(
        &mut self,
        binds: &mut [Bind],
        own: usize,
        names: &[Vec<u8>],
        new_types: bool,
    ) -> Result<(), Error> {
        let count = binds.len();
        self.clear(count, own);
        if new_types || self.named_types.is_empty() {
            self.put_types(binds, names);
        }
        for (number, bind) in binds.iter_mut().enumerate() {
            if bind.long_data_used != 0 {
                bind.long_data_used = 0;
                continue;
            }
            // SAFETY: the caller's promise.
            if unsafe { bind::is_null::<F>(bind) } {
                self.set_null(number);
                continue;
            }
            // SAFETY: the caller's promise.
            unsafe { bind::append_parameter::<F>(bind, &mut self.values) }
                .map_err(|refused| refused.error(F::FAMILY))?;
            if number < own {
                self.own_values = self.values.len();
            }
        }
        self.finish();
        Ok(())
    }
}

impl<F: Abi> Statement<F> {
    /// Puts the parameters' bytes together.
    ///
    /// # Safety
    /// What the program bound is still there.
    pub(super) unsafe fn encode(&mut self) -> Result<(), Error> {
        let (mut own, mut count, mut new_types) = (self.own_parameters, self.params.len(), self.new_types);
        let stmt = self.public();
        // SAFETY: inside the public struct.
        let told = unsafe { F::stmt_param_count(stmt).read() } as usize;
        if F::FAMILY == Family::MariaDb && told < own {
            // A program that says so sends fewer, which the server refuses; libmysqlclient counts what was bound.
            (own, count, new_types) = (told, told, true);
        }
        let binds = self.params.get_mut(..count).unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { self.encoded.put::<F>(binds, own, &self.names, new_types) }
    }
}

/// A length-encoded number.
fn length(number: usize) -> Vec<u8> {
    let mut bytes = [0; 9];
    let count = crate::session::put_count(&mut bytes, number);
    bytes[..count].to_vec()
}

/// A name with its length in front.
pub fn counted(name: &[u8]) -> Vec<u8> {
    [length(name.len()).as_slice(), name].concat()
}
