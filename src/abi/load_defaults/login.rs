//! The lines of a login file (`.mylogin.cnf`), which `mysql_config_editor` writes: each enciphered by itself, with a key in
//! the file's head. It hides passwords from a glance, not from a reader.
//!
//! Four bytes that mean nothing, twenty of the key, then per line its length, four bytes, and the line: AES-128 in ECB
//! mode, PKCS #7 padding. Must not touch files.

use aes::Aes128;
use aes::cipher::{Block, BlockCipherDecrypt, KeyInit};

/// Longest line, enciphered.
const LONGEST: usize = 4096;

/// The lines, as far as they can be read.
pub(super) fn lines(file: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let Some((head, mut rest)) = file.split_at_checked(24) else { return lines };
    let mut key = [0u8; 16];
    for (place, byte) in head[4..].iter().enumerate() {
        key[place % 16] ^= byte;
    }
    let cipher = Aes128::new(&key.into());
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        if length > LONGEST || length > after.len() {
            break;
        }
        let Some(line) = decipher(&cipher, &after[..length]) else { break };
        lines.push(line);
        rest = &after[length..];
    }
    lines
}

fn decipher(cipher: &Aes128, text: &[u8]) -> Option<Vec<u8>> {
    let (blocks, []) = text.as_chunks::<16>() else { return None };
    let mut line = Vec::with_capacity(text.len());
    for block in blocks {
        let mut block: Block<Aes128> = (*block).into();
        cipher.decrypt_block(&mut block);
        line.extend_from_slice(&block);
    }
    let padding = usize::from(*line.last()?);
    let good = (1..=16).contains(&padding) && line[line.len() - padding..].iter().all(|b| usize::from(*b) == padding);
    good.then(|| line[..line.len() - padding].to_vec())
}
