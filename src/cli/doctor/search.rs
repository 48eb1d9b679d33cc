//! Where the loader finds what a program needs: the rules of ld.so(8), without running anything.

use std::collections::VecDeque;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::elf::{self, Facts};

/// How deep `include` lines of the loader's configuration are followed.
const MOST_INCLUDES: usize = 8;

/// The folders that hold for every program of the machine.
pub(super) fn system_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    read_conf(Path::new("/etc/ld.so.conf"), MOST_INCLUDES, &mut folders);
    let triplet = format!("{}-linux-gnu", env::consts::ARCH);
    for root in ["/lib", "/usr/lib"] {
        folders.extend([Path::new(root).join(&triplet), PathBuf::from(format!("{root}64")), PathBuf::from(root)]);
    }
    folders
}

fn read_conf(file: &Path, depth: usize, folders: &mut Vec<PathBuf>) {
    let Ok(text) = fs::read_to_string(file) else { return };
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        match line.strip_prefix("include").filter(|rest| rest.starts_with(char::is_whitespace)) {
            Some(pattern) if depth > 0 => {
                // As it is written everywhere: all files of a folder with a suffix.
                let pattern = Path::new("/etc").join(pattern.trim());
                let (Some(folder), Some(name)) = (pattern.parent(), pattern.file_name()) else { continue };
                let name = name.to_string_lossy();
                let (head, tail) = name.split_once('*').unwrap_or((&name, ""));
                let mut files: Vec<PathBuf> = fs::read_dir(folder)
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|entry| entry.path())
                    .filter(|path| {
                        let found = path.file_name().unwrap_or_default().to_string_lossy();
                        found == name || (name.contains('*') && found.starts_with(head) && found.ends_with(tail))
                    })
                    .collect();
                files.sort();
                for file in files {
                    read_conf(&file, depth - 1, folders);
                }
            }
            Some(_) => {}
            None if line.starts_with('/') => folders.push(PathBuf::from(line)),
            None => {}
        }
    }
}

/// The folders of the environment.
pub(super) fn environment_folders() -> Vec<PathBuf> {
    env::var_os("LD_LIBRARY_PATH")
        .map(|list| env::split_paths(&list).filter(|folder| !folder.as_os_str().is_empty()).collect())
        .unwrap_or_default()
}

/// `$ORIGIN` in a path of a file.
pub(super) fn with_origin(folder: &str, of: &Path) -> PathBuf {
    let origin = of.canonicalize().ok().and_then(|path| path.parent().map(|folder| folder.display().to_string()));
    let origin = origin.unwrap_or_default();
    PathBuf::from(folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin))
}

/// All that a file brings into the process, itself first, in the loader's order; and the names that are not found.
pub(super) fn closure(first: Facts, system: &[PathBuf]) -> (Vec<Facts>, Vec<String>) {
    let environment = environment_folders();
    // The run paths of those through whom it came count for DT_RPATH.
    let inherited: Vec<PathBuf> = first.rpath.iter().map(|folder| with_origin(folder, &first.path)).collect();
    let mut found: Vec<Facts> = Vec::new();
    let mut missing = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut waiting = VecDeque::from([first]);
    while let Some(facts) = waiting.pop_front() {
        for name in &facts.needed {
            if names.contains(name) {
                continue;
            }
            names.push(name.clone());
            let own = |list: &[String]| list.iter().map(|f| with_origin(f, &facts.path)).collect::<Vec<_>>();
            let (rpath, runpath) = (own(&facts.rpath), own(&facts.runpath));
            let none = Vec::new();
            let inherited = if facts.runpath.is_empty() { &inherited } else { &none };
            let folders = rpath.iter().chain(inherited).chain(&environment).chain(&runpath).chain(system);
            let mut places = folders.map(|folder| folder.join(name));
            let file =
                if name.contains('/') { Some(PathBuf::from(name)) } else { places.find(|place| place.is_file()) };
            match file.as_deref().map(elf::read) {
                Some(Ok(Some(next))) => waiting.push_back(next),
                _ => missing.push(name.clone()),
            }
        }
        found.push(facts);
    }
    (found, missing)
}
