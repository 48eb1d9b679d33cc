//! Just enough of the text protocol to ask a server of our own something as root: over its Unix socket, without password.
//!
//! Not a client library, and on purpose not the one under test. One connection for each call, so that no state is left.

use crate::error::{Error, Result};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// The last result set of a text with one or more statements (empty when none had one).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rows {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows; `None` is NULL. Bytes that are no UTF-8 are replaced.
    pub rows: Vec<Vec<Option<String>>>,
}

impl Rows {
    /// The first row's value in column `name` (any case); `None` when there is no row, no such column, or NULL.
    pub fn get(&self, name: &str) -> Option<&str> {
        let at = self.columns.iter().position(|column| column.eq_ignore_ascii_case(name))?;
        self.rows.first()?.get(at)?.as_deref()
    }

    /// The first column of the first row; the empty text when there is no row or it is NULL.
    pub fn scalar(&self) -> &str {
        self.rows.first().and_then(|row| row.first()).and_then(|value| value.as_deref()).unwrap_or("")
    }
}

const CLIENT_CAPABILITIES: u32 = 0x1 // LONG_PASSWORD
    | 0x200 // PROTOCOL_41
    | 0x2000 // TRANSACTIONS
    | 0x8000 // SECURE_CONNECTION
    | 0x1_0000 // MULTI_STATEMENTS
    | 0x2_0000 // MULTI_RESULTS
    | 0x8_0000; // PLUGIN_AUTH
const MORE_RESULTS: u16 = 0x8;
const COM_QUERY: u8 = 3;
const UTF8MB4: u8 = 45;
const MAX_PACKET: usize = 0xff_ffff;

/// Runs `text` (one or more statements) as root through `socket`.
///
/// # Errors
/// The server's own error with its number, or what the system says; each wait ends after `timeout`.
pub fn query(socket: &Path, text: &str, timeout: Duration) -> Result<Rows> {
    let mut connection = Connection::open(socket, timeout)?;
    connection.query(text)
}

struct Connection {
    stream: UnixStream,
    sequence: u8,
}

impl Connection {
    fn open(socket: &Path, timeout: Duration) -> Result<Self> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(timeout))?;
        stream.set_write_timeout(Some(timeout))?;
        let mut this = Connection { stream, sequence: 0 };
        let greeting = this.receive()?;
        if greeting.first() == Some(&0xff) {
            return Err(server_error(&greeting));
        }
        let plugin = greeting_plugin(&greeting);
        let mut answer = Vec::new();
        answer.extend(CLIENT_CAPABILITIES.to_le_bytes());
        answer.extend((MAX_PACKET as u32).to_le_bytes());
        answer.push(UTF8MB4);
        answer.extend([0; 23]);
        answer.extend(b"root\0");
        answer.push(0); // no password: an empty answer in every method
        answer.extend(plugin);
        answer.push(0);
        this.send(&answer)?;
        loop {
            let packet = this.receive()?;
            match packet.first() {
                Some(0x00) => return Ok(this),
                Some(0xff) => return Err(server_error(&packet)),
                Some(0xfe) => this.send(&[])?,
                Some(0x01) => {} // more data of the method; the OK follows
                _ => return Err(Error("the server's login answer is not understood".into())),
            }
        }
    }

    fn send(&mut self, mut body: &[u8]) -> Result<()> {
        loop {
            let part = &body[..body.len().min(MAX_PACKET)];
            let mut frame = Vec::with_capacity(part.len() + 4);
            frame.extend(&(part.len() as u32).to_le_bytes()[..3]);
            frame.push(self.sequence);
            frame.extend(part);
            self.sequence = self.sequence.wrapping_add(1);
            self.stream.write_all(&frame)?;
            body = &body[part.len()..];
            if part.len() < MAX_PACKET {
                return Ok(());
            }
        }
    }

    fn receive(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let mut head = [0; 4];
            self.stream.read_exact(&mut head)?;
            let length = u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize;
            self.sequence = head[3].wrapping_add(1);
            let start = body.len();
            body.resize(start + length, 0);
            self.stream.read_exact(&mut body[start..])?;
            if length < MAX_PACKET {
                return Ok(body);
            }
        }
    }

    fn query(&mut self, text: &str) -> Result<Rows> {
        self.sequence = 0;
        let mut command = vec![COM_QUERY];
        command.extend(text.as_bytes());
        self.send(&command)?;
        let mut last = Rows::default();
        loop {
            let head = self.receive()?;
            let status = match head.first() {
                Some(0xff) => return Err(server_error(&head)),
                Some(0x00) => {
                    let mut fields = Fields(&head[1..]);
                    fields.length();
                    fields.length();
                    fields.short()
                }
                _ => {
                    let count = Fields(&head).length().unwrap_or(0);
                    let mut rows = Rows::default();
                    for _ in 0..count {
                        let column = self.receive()?;
                        let mut fields = Fields(&column);
                        for _ in 0..4 {
                            fields.text(); // catalog, schema, table, original table
                        }
                        rows.columns.push(fields.text().unwrap_or_default());
                    }
                    self.receive()?; // the EOF after the columns
                    let status = loop {
                        let packet = self.receive()?;
                        match packet.first() {
                            Some(0xff) => return Err(server_error(&packet)),
                            Some(0xfe) if packet.len() < 9 => break Fields(&packet[3..]).short(),
                            _ => {
                                let mut fields = Fields(&packet);
                                rows.rows.push((0..count).map(|_| fields.text()).collect());
                            }
                        }
                    };
                    last = rows;
                    status
                }
            };
            if status & MORE_RESULTS == 0 {
                return Ok(last);
            }
        }
    }
}

/// The name of the method that the greeting offers.
fn greeting_plugin(greeting: &[u8]) -> Vec<u8> {
    let version_end = greeting.iter().skip(1).position(|byte| *byte == 0).map_or(greeting.len(), |at| at + 2);
    // thread id 4, scramble 8, filler 1, capabilities 2, charset 1, status 2, capabilities 2, length 1, reserved 10
    let at = version_end + 20;
    let length = greeting.get(at).copied().unwrap_or(21) as usize;
    let rest = greeting.get(at + 11 + (length.saturating_sub(8)).max(13)..).unwrap_or_default();
    rest.split(|byte| *byte == 0).next().unwrap_or_default().to_vec()
}

fn server_error(packet: &[u8]) -> Error {
    let number = u16::from_le_bytes([packet.get(1).copied().unwrap_or(0), packet.get(2).copied().unwrap_or(0)]);
    let text = packet.get(3..).unwrap_or_default();
    let text = if text.first() == Some(&b'#') { text.get(6..).unwrap_or_default() } else { text };
    Error(format!("{number}: {}", String::from_utf8_lossy(text)))
}

/// Length-encoded fields from the front of a packet of our own server.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take(&mut self, count: usize) -> &[u8] {
        let (front, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        front
    }

    fn number(&mut self, bytes: usize) -> u64 {
        self.take(bytes).iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    fn short(&mut self) -> u16 {
        self.number(2) as u16
    }

    fn length(&mut self) -> Option<u64> {
        match self.number(1) {
            0xfb => None,
            0xfc => Some(self.number(2)),
            0xfd => Some(self.number(3)),
            0xfe => Some(self.number(8)),
            small => Some(small),
        }
    }

    fn text(&mut self) -> Option<String> {
        let length = self.length()?;
        Some(String::from_utf8_lossy(self.take(length as usize)).into_owned())
    }
}
