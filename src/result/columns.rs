//! The column definitions of one result set.
//!
//! They are kept as they came, one block for all, with every string ended in place: a NUL over the first byte of what follows it.

use std::ffi::c_char;

use super::OutOfMemory;
use super::arena::Frozen;

/// One column. The pointers lead to NUL-ended strings inside its [`Columns`], whose address never changes.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Column {
    pub catalog: (*const c_char, u32),
    pub schema: (*const c_char, u32),
    pub table: (*const c_char, u32),
    pub org_table: (*const c_char, u32),
    pub name: (*const c_char, u32),
    pub org_name: (*const c_char, u32),
    /// Only in replies to COM_FIELD_LIST; else NULL.
    pub default: (*const c_char, u32),
    /// MariaDB's extended metadata, raw: entries of type (a byte), length (a byte), data. NULL without.
    pub extended: (*const c_char, u32),
    /// Collation id.
    pub charset: u32,
    pub length: u32,
    /// `MYSQL_TYPE_*`.
    pub column_type: u8,
    pub flags: u32,
    pub decimals: u8,
}

/// Where a string lies in the block: first byte and length.
pub type Place = (u32, u32);

/// The place of a string that is not there: a length lies in front of every other.
pub const NONE: Place = (0, 0);

/// A decoded definition.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Definition {
    /// Catalog, schema, table, org_table, name, org_name.
    pub strings: [Place; 6],
    /// [`NONE`] without.
    pub extended: Place,
    /// [`NONE`] without.
    pub default: Place,
    pub charset: u16,
    pub length: u32,
    pub column_type: u8,
    pub flags: u16,
    pub decimals: u8,
}

/// The column definitions of one result set: one block that holds the received packets, each string ended in place.
#[derive(Debug)]
pub struct Columns {
    definitions: Vec<Definition>,
    block: Frozen<u8>,
    described: bool,
}

impl Columns {
    /// Number of columns.
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// So many columns of which the server has told nothing else (`resultset_metadata=NONE`).
    pub fn undescribed(count: u16) -> Columns {
        let definitions = vec![Definition::default(); usize::from(count)];
        Columns { definitions, block: Frozen::new(vec![0]), described: false }
    }

    /// Names and types of the columns are known.
    pub fn is_described(&self) -> bool {
        self.described
    }

    /// A copy of a column's name, for our own use.
    pub fn name(&self, column: usize) -> Option<Vec<u8>> {
        let (start, length) = self.definitions.get(column)?.strings[4];
        super::arena::copy_out(&self.block, self.block.at(start as usize), length as usize)
    }

    /// The same columns: names, types, character sets, flags.
    pub fn is_like(&self, other: &Columns) -> bool {
        let kind = |one: &Definition| (one.column_type, one.charset, one.flags, one.decimals, one.length);
        self.len() == other.len()
            && self.definitions.iter().zip(&other.definitions).all(|(one, two)| kind(one) == kind(two))
            && (0..self.len()).all(|column| self.name(column) == other.name(column))
    }

    /// The columns in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Column> + '_ {
        let string = |(start, length): Place| (self.block.at(start as usize).cast_const().cast::<c_char>(), length);
        let optional = move |place: Place| if place == NONE { (std::ptr::null(), 0) } else { string(place) };
        self.definitions.iter().map(move |column| {
            let [catalog, schema, table, org_table, name, org_name] = column.strings;
            Column {
                catalog: string(catalog),
                schema: string(schema),
                table: string(table),
                org_table: string(org_table),
                name: string(name),
                org_name: string(org_name),
                default: optional(column.default),
                extended: optional(column.extended),
                charset: u32::from(column.charset),
                length: column.length,
                column_type: column.column_type,
                flags: u32::from(column.flags),
                decimals: column.decimals,
            }
        })
    }
}

/// Collects column definitions while they arrive.
#[derive(Debug, Default)]
pub struct ColumnsBuilder {
    definitions: Vec<Definition>,
    block: Vec<u8>,
}

/// Bytes that a definition usually takes at most.
const USUAL: usize = 96;

/// The definitions of so many columns are no allocation to be afraid of.
const SMALL: usize = 8;

/// More columns than this are not believed before they arrive.
const BELIEVED: usize = 4096;

impl ColumnsBuilder {
    /// For about so many columns; the number need not be true.
    pub fn new(columns: u64) -> Result<Self, OutOfMemory> {
        let expected = usize::try_from(columns).unwrap_or(usize::MAX).min(BELIEVED);
        if expected <= SMALL {
            // As little as any other part of a result; where that is refused nothing goes on.
            let (definitions, block) = (Vec::with_capacity(expected), Vec::with_capacity(expected * USUAL));
            return Ok(ColumnsBuilder { definitions, block });
        }
        let mut builder = ColumnsBuilder::default();
        builder.definitions.try_reserve_exact(expected)?;
        builder.block.try_reserve(expected * USUAL)?;
        Ok(builder)
    }

    /// Adds a column. `decode` gets the packet where it stays, with one byte behind it, and the packet's place in the block.
    ///
    /// Errors: those of `decode`.
    #[inline]
    pub fn push<E>(
        &mut self,
        packet: &[u8],
        decode: impl FnOnce(&mut [u8], u32, &mut Definition) -> Result<(), E>,
    ) -> Result<Result<(), E>, OutOfMemory> {
        let base = self.block.len();
        u32::try_from(base + packet.len() + 1).map_err(|_| OutOfMemory)?;
        self.block.try_reserve(packet.len() + 1)?;
        self.block.extend_from_slice(packet);
        self.block.push(0);
        self.definitions.try_reserve(1)?;
        self.definitions.push(Definition::default());
        let (own, definition) = (&mut self.block[base..], self.definitions.last_mut());
        Ok(definition.map_or(Ok(()), |definition| decode(own, base as u32, definition)))
    }

    /// No more columns.
    pub fn finish(self) -> Columns {
        Columns { definitions: self.definitions, block: Frozen::new(self.block), described: true }
    }
}
