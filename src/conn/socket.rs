//! Finding and connecting sockets: names with several addresses, Unix sockets, time limits, bind address.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::Instant;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt};

use super::driver::{self, Interest, Outcome};
use crate::error::{Error, cr};
use crate::options::Family;

/// Connects to a Unix socket.
pub(super) async fn unix(path: &Path, deadline: Option<Instant>, family: Family) -> Result<OwnedFd, Error> {
    let shown = path.to_string_lossy();
    let refused = |errno: Errno| Error::unix_connect(family, &shown, errno.raw_os_error());
    // A path too long for the system: Connector/C gives up here, libmysqlclient asks for the path's beginning.
    let address = SocketAddrUnix::new(path).map_err(|errno| match family {
        Family::MariaDb => Error::socket_create(errno.raw_os_error()),
        Family::MySql => refused(Errno::NOENT),
    })?;
    let fd = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
        .map_err(|errno| Error::socket_create(errno.raw_os_error()))?;
    connect(&fd, |fd| rustix::net::connect(fd, &address), deadline).await.map_err(refused)?;
    Ok(fd)
}

/// Connects to the first address of a name that answers.
pub(super) async fn tcp(
    host: &str,
    port: u16,
    bind: Option<&str>,
    deadline: Option<Instant>,
    family: Family,
) -> Result<OwnedFd, Error> {
    let addresses = resolve(host, port).map_err(|code| Error::unknown_host(family, host, code))?;
    let local = match bind {
        None => Vec::new(),
        Some(bind) => resolve(bind, 0).map_err(|code| Error::unknown_host(family, bind, code))?,
    };
    let mut last = Errno::ADDRNOTAVAIL;
    for address in addresses {
        match try_address(address, &local, deadline).await {
            Ok(fd) => {
                // As the originals: failures are of no consequence.
                let _ = sockopt::set_tcp_nodelay(&fd, true);
                let _ = sockopt::set_socket_keepalive(&fd, true);
                return Ok(fd);
            }
            Err(errno) => last = errno,
        }
    }
    if family == Family::MariaDb && (!driver::stepping() || last == Errno::TIMEDOUT) {
        // What the original shows whatever the reason: its connects are non-blocking. Only when the program does the
        // waiting it learns the reason.
        last = Errno::INPROGRESS;
    }
    Err(Error::tcp_connect(family, host, port, last.raw_os_error()))
}

async fn try_address(address: SocketAddr, local: &[SocketAddr], deadline: Option<Instant>) -> Result<OwnedFd, Errno> {
    let domain = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let fd = rustix::net::socket_with(domain, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    let mut same_family = local.iter().filter(|local| local.is_ipv4() == address.is_ipv4()).peekable();
    if !local.is_empty() {
        let mut bound = Err(Errno::ADDRNOTAVAIL);
        while bound.is_err() {
            let Some(local) = same_family.next() else {
                break;
            };
            bound = rustix::net::bind(&fd, local);
        }
        bound?;
    }
    connect(&fd, |fd| rustix::net::connect(fd, &address), deadline).await?;
    Ok(fd)
}

/// Connects, non-blocking where time is limited or the operation must not wait; leaves the descriptor blocking.
async fn connect(
    fd: &OwnedFd,
    start: impl Fn(&OwnedFd) -> Result<(), Errno>,
    deadline: Option<Instant>,
) -> Result<(), Errno> {
    if deadline.is_none() && !driver::stepping() {
        return match start(fd) {
            // Interrupted: it goes on behind our back.
            Err(Errno::INTR) => finish(fd, None).await,
            result => result,
        };
    }
    rustix::io::ioctl_fionbio(fd, true)?;
    let result = match start(fd) {
        Err(Errno::INPROGRESS | Errno::INTR) => finish(fd, deadline).await,
        // A Unix socket whose queue is full says "again" and has no way to wait for room but to ask again.
        Err(Errno::AGAIN) => again(fd, &start, deadline).await,
        result => result,
    };
    rustix::io::ioctl_fionbio(fd, false)?;
    result
}

async fn finish(fd: &OwnedFd, deadline: Option<Instant>) -> Result<(), Errno> {
    match driver::wait(fd.as_fd(), Interest::Write, deadline).await? {
        Outcome::TimedOut => Err(Errno::TIMEDOUT),
        Outcome::Ready => sockopt::socket_error(fd)?,
    }
}

async fn again(
    fd: &OwnedFd,
    start: &impl Fn(&OwnedFd) -> Result<(), Errno>,
    deadline: Option<Instant>,
) -> Result<(), Errno> {
    loop {
        // An unconnected Unix socket reports a hang-up at once, so it is no use waiting for it.
        driver::pause(std::time::Duration::from_millis(5)).await;
        match start(fd) {
            Err(Errno::AGAIN) if deadline.is_none_or(|deadline| Instant::now() < deadline) => {}
            Err(Errno::AGAIN) => return Err(Errno::TIMEDOUT),
            result => return result,
        }
    }
}

/// All addresses of a name, in the resolver's order; the error is `getaddrinfo`'s number.
fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, i32> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let hints =
        dns_lookup::AddrInfoHints { socktype: libc::SOCK_STREAM, protocol: libc::IPPROTO_TCP, ..Default::default() };
    let found = dns_lookup::getaddrinfo(Some(host), None, Some(hints)).map_err(|error| error.error_num())?;
    let mut addresses: Vec<SocketAddr> = Vec::new();
    for info in found.flatten() {
        let mut address = info.sockaddr;
        address.set_port(port);
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    if addresses.is_empty() { Err(libc::EAI_NONAME) } else { Ok(addresses) }
}

/// For [`Error::code`]s that mean "nobody there, try the next": connect errors of both families.
pub fn is_connect_error(code: u32) -> bool {
    matches!(code, cr::CONNECTION_ERROR | cr::CONN_HOST_ERROR | cr::UNKNOWN_HOST | cr::SERVER_LOST)
}
