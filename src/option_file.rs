//! Option files. (being written)
use crate::{error::Error, options::Options};
use std::path::Path;
/// Applies.
pub fn apply(_o: &mut Options, _f: Option<&Path>, _g: Option<&str>) -> Result<(), Error> {
    Ok(())
}
