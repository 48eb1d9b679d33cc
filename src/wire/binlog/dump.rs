//! Arguments of the commands that ask for the binary log, and the packet that acknowledges an event.

/// COM_BINLOG_DUMP. Positions beyond 4 GiB cannot be asked for: their upper half is cut.
pub fn dump(position: u64, flags: u16, server_id: u32, file_name: &[u8]) -> Vec<u8> {
    let mut argument = Vec::with_capacity(10 + file_name.len());
    argument.extend_from_slice(&(position as u32).to_le_bytes());
    argument.extend_from_slice(&flags.to_le_bytes());
    argument.extend_from_slice(&server_id.to_le_bytes());
    argument.extend_from_slice(file_name);
    argument
}

/// COM_BINLOG_DUMP_GTID, MySQL's; an empty set of GTIDs is eight zero bytes.
pub fn dump_gtid(position: u64, flags: u16, server_id: u32, file_name: &[u8], gtids: &[u8]) -> Vec<u8> {
    let gtids = if gtids.is_empty() { &[0; 8] } else { gtids };
    let mut argument = Vec::with_capacity(22 + file_name.len() + gtids.len());
    argument.extend_from_slice(&flags.to_le_bytes());
    argument.extend_from_slice(&server_id.to_le_bytes());
    argument.extend_from_slice(&(file_name.len() as u32).to_le_bytes());
    argument.extend_from_slice(file_name);
    argument.extend_from_slice(&position.to_le_bytes());
    argument.extend_from_slice(&(gtids.len() as u32).to_le_bytes());
    argument.extend_from_slice(gtids);
    argument
}

/// COM_REGISTER_REPLICA: shows in SHOW REPLICAS. Of the name 255 bytes count; user, password, rank and source are empty.
pub fn register(server_id: u32, host: &[u8], port: u16) -> Vec<u8> {
    let host = &host[..host.len().min(255)];
    let mut argument = Vec::with_capacity(17 + host.len());
    argument.extend_from_slice(&server_id.to_le_bytes());
    argument.push(host.len() as u8);
    argument.extend_from_slice(host);
    argument.extend_from_slice(&[0, 0]);
    argument.extend_from_slice(&port.to_le_bytes());
    argument.extend_from_slice(&[0; 8]);
    argument
}

/// In front of the event, where the source waits for acknowledgements.
pub const SEMI_SYNC: u8 = 0xEF;

/// The source wants this event acknowledged.
pub const SEMI_SYNC_WANTED: u8 = 1;

/// The acknowledgement: where the next event begins, in which file.
pub fn acknowledgement(position: u64, file_name: &[u8]) -> Vec<u8> {
    let mut packet = Vec::with_capacity(9 + file_name.len());
    packet.push(SEMI_SYNC);
    packet.extend_from_slice(&position.to_le_bytes());
    packet.extend_from_slice(file_name);
    packet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_laid_out_as_the_servers_read_them() {
        assert_eq!(dump(4, 2, 12, b"log.1"), b"\x04\0\0\0\x02\0\x0c\0\0\0log.1");
        let gtid = dump_gtid(4, 0, 1, b"", b"");
        assert_eq!(gtid, b"\0\0\x01\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(register(7, b"here", 3306), b"\x07\0\0\0\x04here\0\0\xea\x0c\0\0\0\0\0\0\0\0");
        assert_eq!(register(7, &[b'x'; 300], 0).len(), 272);
        assert_eq!(acknowledgement(258, b"log.1"), b"\xef\x02\x01\0\0\0\0\0\0log.1");
    }
}
