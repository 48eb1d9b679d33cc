//! From a connected socket to a usable connection: greeting, TLS, login, authentication, character set, init commands.

use std::path::Path;
use std::time::Instant;

use super::channel::Channel;
use super::compressed::Compressed;
use super::driver::{Stage, reached};
use super::tls_sessions::Resumable;
use super::transport::{Failure, Transport};
use super::watched::Socket;
use super::{Attempt, Command, Endpoint, LastReply, Server, Target, attributes, auth, collation, socket, tls};
use crate::error::{Error, HY000, Origin, Sent};
use crate::options::{Family, Options, TlsMode};
use crate::wire::greeting::{self, First, Greeting};
use crate::wire::{capabilities as cap, err, login, ok};

/// What each family asks for, before the program's flags and the server's are looked at.
fn base_flags(family: Family) -> u64 {
    let both = cap::LONG_PASSWORD
        | cap::LONG_FLAG
        | cap::PROTOCOL_41
        | cap::TRANSACTIONS
        | cap::SECURE_CONNECTION
        | cap::MULTI_RESULTS
        | cap::PS_MULTI_RESULTS
        | cap::PLUGIN_AUTH
        | cap::CONNECT_ATTRS
        | cap::PLUGIN_AUTH_LENENC_CLIENT_DATA
        | cap::SESSION_TRACK;
    match family {
        Family::MySql => both | cap::DEPRECATE_EOF | cap::QUERY_ATTRIBUTES | cap::MULTI_FACTOR_AUTHENTICATION,
        // Not DEPRECATE_EOF: its programs tell the OUT parameters of a procedure by a status that only the packet behind
        // the columns has.
        Family::MariaDb => both | cap::MARIADB_EXTENDED_METADATA | cap::MARIADB_STMT_BULK_OPERATIONS,
    }
}

/// Flags that a program may add.
const ALLOWED: u64 = cap::FOUND_ROWS
    | cap::LONG_FLAG
    | (1 << 4) // NO_SCHEMA
    | cap::COMPRESS
    | (1 << 6) // ODBC
    | cap::LOCAL_FILES
    | (1 << 8) // IGNORE_SPACE
    | cap::INTERACTIVE
    | cap::MULTI_STATEMENTS
    | cap::MULTI_RESULTS
    | cap::PS_MULTI_RESULTS
    | cap::CAN_HANDLE_EXPIRED_PASSWORDS
    | cap::SESSION_TRACK;

/// Flags that change the shape of messages or ask the server for something it may not have: never without its consent.
const NEEDS_CONSENT: u64 = cap::LONG_PASSWORD
    | cap::COMPRESS
    | cap::ZSTD_COMPRESSION
    | cap::SSL
    | cap::PLUGIN_AUTH
    | cap::CONNECT_ATTRS
    | cap::PLUGIN_AUTH_LENENC_CLIENT_DATA
    | cap::SESSION_TRACK
    | cap::DEPRECATE_EOF
    | cap::OPTIONAL_RESULTSET_METADATA
    | cap::QUERY_ATTRIBUTES
    | cap::MULTI_FACTOR_AUTHENTICATION
    | cap::CAN_HANDLE_EXPIRED_PASSWORDS
    | cap::CONNECT_WITH_DB
    | cap::MULTI_STATEMENTS
    | cap::MULTI_RESULTS
    | cap::PS_MULTI_RESULTS
    | !0xFFFF_FFFF;

const COMPRESSION: u64 = cap::COMPRESS | cap::ZSTD_COMPRESSION;

/// A connection that has logged in.
pub(super) struct LoggedIn {
    pub(super) channel: Channel,
    pub(super) server: Server,
    /// The flags agreed on, as the decoders need them.
    pub(super) flags: u64,
    /// The OK packet that ended the login.
    pub(super) ok: ok::OkPacket,
    /// What COM_CHANGE_USER needs to know of the login.
    pub(super) memory: Memory,
    /// The TLS session, for other connections to resume.
    pub(super) resumable: Option<Resumable>,
}

/// What the next login on the same connection needs to know of this one.
#[derive(Debug)]
pub(super) struct Memory {
    /// The server's last challenge.
    challenge: Vec<u8>,
    /// TLS or a Unix socket: nobody listens.
    secure: bool,
}

/// See the module.
pub(super) async fn open(target: &Target, options: &Options, attempt: &mut Attempt) -> Result<LoggedIn, Error> {
    let family = options.family;
    let deadline = options.connect_timeout.and_then(|limit| Instant::now().checked_add(limit));
    reached(Stage::Connecting);
    let (fd, host_info, is_unix) = match &target.endpoint {
        Endpoint::Unix(path) => {
            (socket::unix(path, deadline, family).await?, b"Localhost via UNIX socket".to_vec(), true)
        }
        Endpoint::Tcp { host, port } => {
            let fd = socket::tcp(host, *port, options.bind.as_deref(), deadline, family).await?;
            (fd, format!("{host} via TCP/IP").into_bytes(), false)
        }
    };
    let socket = Socket::new(fd, options.program.clone());
    let mut channel = Channel::new(Transport::Plain(socket), family, options.max_packet());
    channel.deadline = deadline;
    channel.read_timeout = options.read_timeout;
    channel.write_timeout = options.write_timeout;
    if let Some(header) = &options.proxy_header {
        let sent = channel.transport.send(header, deadline).await;
        sent.map_err(|_| Error::lost(family).sent(Sent::No))?;
    }
    reached(Stage::Greeting);
    let greeting = read_greeting(&mut channel, options).await?;
    // Kept where a failure leaves it; the connection takes it from there.
    let server = attempt.server.insert(Server {
        version: match family {
            Family::MySql => greeting.raw_version.clone(),
            Family::MariaDb => greeting.version.clone(),
        },
        is_mariadb: greeting.is_mariadb,
        thread_id: u64::from(greeting.thread_id),
        capabilities: greeting.capabilities,
        server_language: u32::from(greeting.language),
        host_info,
        ..Server::default()
    });

    let mut flags = base_flags(family) | (target.client_flags | options.client_flags) & ALLOWED;
    // libmysqlclient always says that it could, and refuses when asked.
    if options.local_infile || family == Family::MySql {
        flags |= cap::LOCAL_FILES;
    }
    if family == Family::MySql {
        flags |= options.client_flags & cap::ZSTD_COMPRESSION;
        flags |= (target.client_flags | options.client_flags) & cap::OPTIONAL_RESULTSET_METADATA;
    }
    if flags & cap::MULTI_STATEMENTS != 0 {
        flags |= cap::MULTI_RESULTS;
    }
    if target.database.as_deref().is_some_and(|database| !database.is_empty()) {
        flags |= cap::CONNECT_WITH_DB;
    }
    let mut needs_consent = NEEDS_CONSENT;
    if family == Family::MySql {
        // Says bit 0 to everybody, so that MariaDB servers do not look for extended flags.
        needs_consent &= !cap::LONG_PASSWORD;
    }
    flags &= greeting.capabilities | !needs_consent;

    let collation = collation::for_login(options)?;
    let prefix = login::Prefix {
        capabilities: flags,
        max_packet: u32::try_from(options.max_packet()).unwrap_or(u32::MAX),
        collation: collation.in_login,
    };
    let mut secure = is_unix;
    let mut resumable = None;
    let mode = effective_mode(&options.tls.mode, is_unix);
    if mode != TlsMode::Disabled {
        if greeting.capabilities & cap::SSL != 0 {
            flags |= cap::SSL;
            let mut packet = Vec::with_capacity(32);
            login::put_prefix(&mut packet, &login::Prefix { capabilities: flags, ..prefix });
            channel.queue_packet(&packet);
            channel.flush().await.map_err(|_| Error::lost(family).sent(Sent::No))?;
            reached(Stage::Tls);
            let host = match &target.endpoint {
                Endpoint::Tcp { host, .. } => host.as_str(),
                Endpoint::Unix(_) => "localhost",
            };
            let (secured, session) = tls::start(channel, host, mode, options).await?;
            channel = secured;
            resumable = Some(session);
            server.tls_resumed = tls::is_resumed(&channel);
            server.tls_cipher = tls::cipher_of(&channel);
            server.tls_version = tls::version_of(&channel);
            secure = true;
        } else if mode >= TlsMode::Required {
            return Err(tls::not_offered(family));
        }
    }

    server.client_flag = shown_flags(flags, target, options);
    if options.compression.is_wrong() || options.compression.required() && flags & COMPRESSION == 0 {
        return Err(Error::compression());
    }
    let attributes = attributes::all(options, target);
    let opening = auth::Opening::Login(login::Login {
        prefix: login::Prefix { capabilities: flags, ..prefix },
        user: &target.user,
        answer: &[],
        database: target.database.as_deref().unwrap_or_default(),
        method: &[],
        attributes: &attributes,
        zstd_level: options.compression.level(),
    });
    let (offered, challenge) = (&greeting.method[..], &greeting.scramble[..]);
    let start = auth::Start { opening, offered, challenge, flags, secure, server };
    let mut auth = auth::Exchange::new(target, options, start);
    let ok = auth.run(&mut channel).await?;
    let challenge = auth.into_challenge();
    if flags & cap::QUERY_ATTRIBUTES != 0 {
        channel.attributes.extend_from_slice(&super::channel::NO_ATTRIBUTES);
    }
    if flags & COMPRESSION != 0 {
        // Of both the original takes zlib.
        let zstd = (flags & cap::COMPRESS == 0).then(|| options.compression.level());
        let compressed = Compressed::new(channel.transport, zstd).ok_or_else(|| Error::out_of_memory(family))?;
        channel.transport = Transport::Compressed(Box::new(compressed));
    }
    let memory = Memory { challenge, secure };
    let server = attempt.server.take().unwrap_or_default();
    let mut logged_in = LoggedIn { channel, server, flags, ok, memory, resumable };
    reached(Stage::Commands);
    if let Err(error) = finish(&mut logged_in, &collation, options, attempt).await {
        attempt.server = Some(logged_in.server);
        return Err(error);
    }
    logged_in.channel.deadline = None;
    Ok(logged_in)
}

/// COM_CHANGE_USER on a connection that is logged in: the account, password and schema of `target`, the character set
/// of `options`; no init commands.
///
/// Errors: the server's; 2006 when nothing was sent; 2013 with its stage; those of a login.
pub(super) async fn change_user(
    channel: &mut Channel,
    server: &Server,
    flags: u64,
    memory: &mut Memory,
    target: &Target,
    options: &Options,
) -> Result<ok::OkPacket, Error> {
    let collation = collation::for_login(options)?;
    // Each original begins with its own method, whatever the server announced when it was connected to.
    let offered = match options.family {
        Family::MySql => auth::CACHING_SHA2,
        Family::MariaDb => auth::NATIVE,
    };
    let attributes = attributes::all(options, target);
    let opening = auth::Opening::ChangeUser(login::ChangeUser {
        capabilities: flags,
        user: &target.user,
        answer: &[],
        database: target.database.as_deref().unwrap_or_default(),
        collation: u16::from(collation.in_login),
        method: &[],
        attributes: &attributes,
    });
    let start = auth::Start { opening, offered, challenge: &memory.challenge, flags, secure: memory.secure, server };
    let mut auth = auth::Exchange::new(target, options, start);
    let ok = auth.run(channel).await;
    let challenge = auth.into_challenge();
    memory.challenge = challenge;
    let ok = ok?;
    if let Some(statement) = &collation.statement {
        channel.send(Command::Query, &[statement.as_bytes()]).await?;
        super::head::drain_reply(channel, flags, &mut LastReply::default()).await?;
    }
    Ok(ok)
}

/// Over a Unix socket "preferred" means no TLS, as in the original: there is nothing to gain.
fn effective_mode(mode: &TlsMode, is_unix: bool) -> TlsMode {
    if is_unix && *mode == TlsMode::Preferred { TlsMode::Disabled } else { *mode }
}

/// What `MYSQL.client_flag` of the original would hold for this connection.
fn shown_flags(flags: u64, target: &Target, options: &Options) -> u64 {
    /// `CLIENT_QUERY_ATTRIBUTES` and `MULTI_FACTOR_AUTHENTICATION`, which libmysqlclient asks every server for.
    const ALWAYS_ASKED: u64 = cap::QUERY_ATTRIBUTES | cap::MULTI_FACTOR_AUTHENTICATION;
    let own = target.client_flags & (cap::REMEMBER_OPTIONS | cap::IGNORE_SIGPIPE);
    let flags = (flags | own) & 0xFFFF_FFFF;
    match options.family {
        Family::MySql => {
            // It tells the server so always, and shows whether it is so.
            let asked = options.local_infile || (target.client_flags | options.client_flags) & cap::LOCAL_FILES != 0;
            let flags = if asked { flags } else { flags & !cap::LOCAL_FILES };
            flags | ALWAYS_ASKED | cap::DEPRECATE_EOF
        }
        Family::MariaDb => flags,
    }
}

async fn read_greeting(channel: &mut Channel, options: &Options) -> Result<Greeting, Error> {
    let family = options.family;
    let packet = match channel.first_packet().await {
        Ok(packet) => packet,
        Err(error) => return Err(no_greeting(channel, error).sent(Sent::No)),
    };
    // No greeting has a number; Connector/C does not look.
    let out_of_order = family == Family::MySql && channel.sequence != 1;
    if out_of_order || channel.bytes(&packet).is_empty() {
        let error = channel.fail(Failure::Closed);
        return Err(no_greeting(channel, error).sent(Sent::No));
    }
    let bytes = channel.bytes(&packet);
    if err::is_err(bytes) {
        return Err(early_error(options, bytes));
    }
    let parsed = match bytes {
        // Connector/C takes later versions for its own.
        [version, rest @ ..] if family == Family::MariaDb && *version > 10 => greeting::parse(&[&[10], rest].concat()),
        _ => greeting::parse(bytes),
    };
    match parsed {
        Ok(First::Greeting(greeting)) => Ok(greeting),
        Ok(First::OtherVersion(version)) => Err(Error::version(family, version)),
        Err(_) => Err(Error::malformed(family).sent(Sent::No)),
    }
}

/// A server's error packet as an error.
#[cold]
pub(super) fn server_error(family: Family, packet: &[u8]) -> Error {
    match err::parse(packet) {
        // What says nothing, or says it with a number of ours, is not believed.
        Ok(error) if family == Family::MariaDb && error.code == 0 => Error::empty_error_packet(),
        Ok(error) if family == Family::MariaDb && is_clients(error.code) => Error::malformed(family).sent(Sent::Yes),
        Ok(_) if packet.len() == 3 => Error::nondescript(family),
        Ok(error) => Error {
            code: u32::from(error.code),
            sqlstate: error.sqlstate_or_general(),
            message: error.message.to_vec(),
            origin: Origin::Server,
            sent: Sent::Yes,
        },
        // Too short to say what.
        Err(_) => Error::nondescript(family),
    }
}

/// Numbers that Connector/C keeps for its own errors.
fn is_clients(code: u16) -> bool {
    matches!(code, 2001..=2060 | 5001..=5026)
}

/// An error packet in the place of the greeting. libmysqlclient takes an SQLSTATE there for a part of the text;
/// Connector/C, when TLS was asked for, does not believe it.
fn early_error(options: &Options, packet: &[u8]) -> Error {
    let mut error = server_error(options.family, packet);
    match options.family {
        Family::MySql if packet.len() > 3 && error.origin == Origin::Server => {
            error.sqlstate = HY000;
            error.message = packet[3..].to_vec();
            error
        }
        Family::MariaDb if options.tls.mode != TlsMode::Disabled => Error::unauthenticated(error.code, &error.message),
        _ => error,
    }
}

/// A connection that broke while the greeting was awaited.
fn no_greeting(channel: &Channel, error: Error) -> Error {
    let (family, Some(failure)) = (channel.family, &channel.failure) else { return error };
    let stage = match family {
        Family::MySql if *failure == Failure::TimedOut => "waiting for initial communication packet",
        Family::MySql => "reading initial communication packet",
        Family::MariaDb => "handshake: reading initial communication packet",
    };
    let errno = match failure {
        // What the original finds in errno when the server just closes: its connect was in progress.
        Failure::Closed if family == Family::MariaDb => rustix::io::Errno::INPROGRESS.raw_os_error(),
        failure => failure.errno(),
    };
    Error::lost_at(family, stage, errno)
}

/// Everything after the login: the collation that did not fit there, the init commands.
async fn finish(
    logged_in: &mut LoggedIn,
    collation: &collation::ForLogin,
    options: &Options,
    attempt: &mut Attempt,
) -> Result<(), Error> {
    if !options.init_commands.is_empty() {
        attempt.init = Some(LastReply { status: logged_in.ok.status, ..LastReply::default() });
    }
    let mut unseen = LastReply::default();
    let last = attempt.init.as_mut().unwrap_or(&mut unseen);
    let channel = &mut logged_in.channel;
    let mut pending = 0;
    if let Some(statement) = &collation.statement {
        channel.queue(Command::Query, &[statement.as_bytes()]);
        pending += 1;
    }
    let mut init = options.init_commands.iter();
    loop {
        if pending == 0 {
            let Some(command) = init.next() else {
                return Ok(());
            };
            channel.queue(Command::Query, &[command]);
            pending = 1;
        }
        channel.flush().await?;
        super::head::drain_reply(channel, logged_in.flags, last).await?;
        pending -= 1;
    }
}

/// Whether a path names an existing file; for options that name key files.
pub(super) fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}
