//! The exported names: one jump per name and family, made by `build.rs` from `exports.list`. Nothing by hand here.
#![allow(unsafe_code, missing_docs, clippy::missing_safety_doc)]

#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    () => {
        "jmp"
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    () => {
        "b"
    };
}

include!(concat!(env!("OUT_DIR"), "/exports.rs"));
