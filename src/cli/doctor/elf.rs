//! What one ELF file says of itself: what it needs, from where, which functions of the client it imports or contains.

use std::fs;
use std::path::{Path, PathBuf};

use object::elf;
use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _, ProgramHeader as _, Sym as _};

/// A function of the C API that the file imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// Its name.
    pub name: String,
    /// The version that it was linked with; empty for none.
    pub version: String,
}

/// One file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Where it is.
    pub path: PathBuf,
    /// For another kind of machine than this program: its name.
    pub foreign: Option<&'static str>,
    /// A loader is named, or it has a dynamic section: preloading reaches it.
    pub is_dynamic: bool,
    /// `DT_NEEDED`, in order.
    pub needed: Vec<String>,
    /// `DT_RPATH`, unless there is a `DT_RUNPATH`: it comes ahead of LD_LIBRARY_PATH.
    pub rpath: Vec<String>,
    /// `DT_RUNPATH`.
    pub runpath: Vec<String>,
    /// Functions of the client that come from outside.
    pub imports: Vec<Import>,
    /// It defines `mysql_real_connect`.
    pub has_client: bool,
    /// It opens libraries at run time.
    pub opens: bool,
    /// Made by the Go compiler.
    pub is_go: bool,
    /// It has the names of authentication methods in it, as clients have.
    pub speaks: bool,
    /// It has PHP's own client in it.
    pub has_mysqlnd: bool,
}

/// The names of the client's functions.
fn is_of_client(name: &str) -> bool {
    name.starts_with("mysql_") || name.starts_with("mariadb_")
}

/// Reads a file; None if it is no ELF file.
///
/// Errors: it cannot be read; it is damaged.
pub(super) fn read(path: &Path) -> Result<Option<Facts>, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(None);
    }
    let mut facts = Facts { path: path.to_owned(), ..Facts::default() };
    if bytes.get(4) != Some(&elf::ELFCLASS64.0) {
        facts.foreign = Some("32 bit");
        return Ok(Some(facts));
    }
    parse(&bytes, &mut facts).map_err(|error| format!("damaged: {error}"))?;
    let has = |word: &[u8]| memchr::memmem::find(&bytes, word).is_some();
    facts.speaks = has(b"mysql_native_password") && has(b"caching_sha2_password");
    facts.has_mysqlnd = has(b"mysqlnd_plugin_register");
    Ok(Some(facts))
}

fn parse(bytes: &[u8], facts: &mut Facts) -> object::Result<()> {
    let file = ElfFile64::<object::Endianness>::parse(bytes)?;
    let (endian, data, header) = (file.endian(), file.data(), file.elf_header());
    let ours = if cfg!(target_arch = "aarch64") { elf::EM_AARCH64 } else { elf::EM_X86_64 };
    if header.e_machine(endian) != ours {
        facts.foreign = Some("another processor");
        return Ok(());
    }
    let segments = header.program_headers(endian, data)?;
    facts.is_dynamic = segments.iter().any(|segment| segment.p_type(endian) == elf::PT_DYNAMIC);
    let sections = header.sections(endian, data)?;
    facts.is_go = sections
        .iter()
        .any(|section| sections.section_name(endian, section).is_ok_and(|name| name == b".go.buildinfo"));
    if let Some((entries, strings)) = sections.dynamic(endian, data)? {
        let strings = sections.strings(endian, data, strings)?;
        let text = |entry: &elf::Dyn64<object::Endianness>| {
            let text = entry.string(endian, strings).unwrap_or_default();
            String::from_utf8_lossy(text).into_owned()
        };
        let folders = |text: String| text.split(':').map(str::to_owned).filter(|folder| !folder.is_empty()).collect();
        for entry in entries {
            match entry.tag(endian) {
                elf::DT_NEEDED => facts.needed.push(text(entry)),
                elf::DT_RPATH => facts.rpath = folders(text(entry)),
                elf::DT_RUNPATH => facts.runpath = folders(text(entry)),
                _ => {}
            }
        }
        if !facts.runpath.is_empty() {
            facts.rpath.clear();
        }
    }
    for kind in [elf::SHT_DYNSYM, elf::SHT_SYMTAB] {
        let symbols = sections.symbols(endian, data, kind)?;
        let versions = if kind == elf::SHT_DYNSYM { sections.versions(endian, data)? } else { None };
        for (index, symbol) in symbols.enumerate() {
            let name = String::from_utf8_lossy(symbol.name(endian, symbols.strings())?);
            if !symbol.is_undefined(endian) {
                facts.has_client |= name == "mysql_real_connect" && symbol.st_type() == elf::STT_FUNC;
                continue;
            }
            facts.opens |= name == "dlopen" || name.starts_with("dlopen@");
            if kind == elf::SHT_DYNSYM && is_of_client(&name) {
                let version = match &versions {
                    Some(versions) => versions
                        .version(versions.version_index(endian, index).into())?
                        .map(|version| String::from_utf8_lossy(version.name()).into_owned()),
                    None => None,
                };
                facts.imports.push(Import { name: name.into_owned(), version: version.unwrap_or_default() });
            }
        }
    }
    Ok(())
}
