//! A TCP proxy on loopback that counts and, when told to, misbehaves.
//!
//! Two threads for each connection, one for each direction; each waits for data or for a word from [`Proxy`]'s methods,
//! which therefore work at once. Up is from the client to the server, down the other way.

use crate::cluster::free_port;
use crate::error::Result;
use crate::process::lock;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How a connection is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// By a reset: the other side's next read fails with ECONNRESET.
    Rst,
    /// In an orderly way: the other side reads an end of file.
    Fin,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    Up,
    /// From the server to the client.
    Down,
}

/// What a proxy has counted since it started or since [`Proxy::reset_stats`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Connections accepted.
    pub connections: u64,
    /// Bytes from clients.
    pub bytes_up: u64,
    /// Bytes from the server.
    pub bytes_down: u64,
    /// How often, on any connection, the client spoke after the server had spoken. The server speaks first, so the answer
    /// to its greeting is the first round trip.
    pub round_trips: u64,
}

/// What one connection carried, with [`Proxy::capture`] on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// Bytes from the client.
    pub up: Vec<u8>,
    /// Bytes from the server.
    pub down: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Pass,
    BlackHole,
    Reject,
}

#[derive(Debug, Clone, Copy)]
struct Cut {
    /// The connection's byte count at which it ends.
    at: u64,
    how: How,
}

#[derive(Clone, Copy)]
struct Behaviour {
    mode: Mode,
    delay: Duration,
    trickle: Option<(usize, Duration)>,
    cut_up: Option<Cut>,
    cut_down: Option<Cut>,
}

const PLAIN: Behaviour =
    Behaviour { mode: Mode::Pass, delay: Duration::ZERO, trickle: None, cut_up: None, cut_down: None };

#[derive(Default)]
struct Counters {
    connections: AtomicU64,
    bytes_up: AtomicU64,
    bytes_down: AtomicU64,
    round_trips: AtomicU64,
}

struct Shared {
    target: Mutex<String>,
    behaviour: Mutex<Behaviour>,
    /// Wakes who waits for another behaviour.
    changed: Condvar,
    counters: Counters,
    connections: Mutex<Vec<Arc<Connection>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    captures: Mutex<Option<Vec<Arc<Mutex<Captured>>>>>,
}

struct Connection {
    client: TcpStream,
    server: Mutex<Option<Arc<TcpStream>>>,
    /// Readable once the connection is to end.
    wake: OwnedFd,
    end: Mutex<Option<How>>,
    cut_up: Mutex<Option<Cut>>,
    cut_down: Mutex<Option<Cut>>,
    up: AtomicU64,
    down: AtomicU64,
    /// Who spoke last: 0 nobody, 1 the client, 2 the server.
    last: AtomicU8,
    capture: Option<Arc<Mutex<Captured>>>,
}

/// A running proxy; dropping it ends its connections and threads.
pub struct Proxy {
    shared: Arc<Shared>,
    address: SocketAddr,
    listener: Mutex<Option<Listener>>,
}

struct Listener {
    stop: Arc<OwnedFd>,
    thread: JoinHandle<()>,
}

impl Proxy {
    /// A proxy on a free port of 127.0.0.1 in front of `target` (`HOST:PORT`).
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(target: &str) -> Result<Proxy> {
        Proxy::start_on("127.0.0.1", target)
    }

    /// As [`Proxy::start`], on another loopback address, such as 127.0.0.2.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start_on(host: &str, target: &str) -> Result<Proxy> {
        let mut tries = 5;
        let (listener, address) = loop {
            match TcpListener::bind((host, free_port(host)?)) {
                Ok(listener) => {
                    let address = listener.local_addr()?;
                    break (listener, address);
                }
                Err(error) if tries > 0 && error.kind() == ErrorKind::AddrInUse => tries -= 1,
                Err(error) => return Err(error.into()),
            }
        };
        let proxy = Proxy {
            shared: Arc::new(Shared {
                target: Mutex::new(target.to_string()),
                behaviour: Mutex::new(PLAIN),
                changed: Condvar::new(),
                counters: Counters::default(),
                connections: Mutex::default(),
                threads: Mutex::default(),
                captures: Mutex::new(None),
            }),
            address,
            listener: Mutex::new(None),
        };
        proxy.listen(listener)?;
        Ok(proxy)
    }

    /// Where clients connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address clients connect to.
    pub fn host(&self) -> String {
        self.address.ip().to_string()
    }

    /// The port clients connect to.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// No faults any more: listens again, forwards at once; connections that a black hole held go on.
    ///
    /// # Errors
    /// When the port was taken by somebody else after [`Proxy::refuse`].
    pub fn pass(&self) -> Result<()> {
        self.behave(|behaviour| *behaviour = PLAIN);
        for connection in self.open() {
            *lock(&connection.cut_up) = None;
            *lock(&connection.cut_down) = None;
        }
        if lock(&self.listener).is_none() {
            self.listen(TcpListener::bind(self.address)?)?;
        }
        Ok(())
    }

    /// Where new connections go from now on.
    pub fn set_target(&self, target: &str) {
        *lock(&self.shared.target) = target.to_string();
    }

    /// Holds back every chunk, in each direction, for `delay`.
    pub fn delay(&self, delay: Duration) {
        self.behave(|behaviour| behaviour.delay = delay);
    }

    /// Forwards at most `bytes` at a time, with `pause` after each.
    pub fn trickle(&self, bytes: usize, pause: Duration) {
        self.behave(|behaviour| behaviour.trickle = Some((bytes.max(1), pause)));
    }

    /// Ends every connection, present and new, after `bytes` more bytes in `direction` (for a new one: after its first
    /// `bytes`; 0 ends it when the first byte would pass).
    pub fn cut_after(&self, direction: Direction, bytes: u64, how: How) {
        let cut = Some(Cut { at: bytes, how });
        self.behave(|behaviour| match direction {
            Direction::Up => behaviour.cut_up = cut,
            Direction::Down => behaviour.cut_down = cut,
        });
        for connection in self.open() {
            let (cut, count) = match direction {
                Direction::Up => (&connection.cut_up, &connection.up),
                Direction::Down => (&connection.cut_down, &connection.down),
            };
            *lock(cut) = Some(Cut { at: count.load(Ordering::SeqCst) + bytes, how });
        }
    }

    /// Stops listening: connecting is refused. Present connections stay.
    pub fn refuse(&self) {
        if let Some(listener) = lock(&self.listener).take() {
            signal(&listener.stop);
            // the thread drops the listening socket
            let _ = listener.thread.join();
        }
    }

    /// Accepts connections and resets them at once. Present connections stay.
    pub fn reject(&self) {
        self.behave(|behaviour| behaviour.mode = Mode::Reject);
    }

    /// Keeps present and new connections open but forwards nothing; a new one gets no greeting.
    pub fn black_hole(&self) {
        self.behave(|behaviour| behaviour.mode = Mode::BlackHole);
    }

    /// Ends all present connections now.
    pub fn end_all(&self, how: How) {
        for connection in self.open() {
            connection.finish(how);
        }
        let deadline = Instant::now() + Duration::from_secs(5);
        // a reset is sent when the last thread lets go of the socket; an orderly end when it is noted
        while how == How::Rst && !self.open().is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Resets all present connections now.
    pub fn reset_all(&self) {
        self.end_all(How::Rst);
    }

    /// How many connections are open now.
    pub fn open_connections(&self) -> usize {
        lock(&self.shared.connections).len()
    }

    /// What was counted.
    pub fn stats(&self) -> Stats {
        let counters = &self.shared.counters;
        Stats {
            connections: counters.connections.load(Ordering::SeqCst),
            bytes_up: counters.bytes_up.load(Ordering::SeqCst),
            bytes_down: counters.bytes_down.load(Ordering::SeqCst),
            round_trips: counters.round_trips.load(Ordering::SeqCst),
        }
    }

    /// Starts counting from zero.
    pub fn reset_stats(&self) {
        let counters = &self.shared.counters;
        for counter in [&counters.connections, &counters.bytes_up, &counters.bytes_down, &counters.round_trips] {
            counter.store(0, Ordering::SeqCst);
        }
    }

    /// From now on keeps a copy of what new connections carry, and forgets older copies; or no longer.
    pub fn capture(&self, on: bool) {
        *lock(&self.shared.captures) = on.then(Vec::new);
    }

    /// The copies, one for each connection made since [`Proxy::capture`], in order.
    pub fn captured(&self) -> Vec<Captured> {
        match &*lock(&self.shared.captures) {
            Some(captures) => captures.iter().map(|capture| lock(capture).clone()).collect(),
            None => Vec::new(),
        }
    }

    fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut lock(&self.shared.behaviour));
        self.shared.changed.notify_all();
    }

    fn open(&self) -> Vec<Arc<Connection>> {
        lock(&self.shared.connections).clone()
    }

    fn listen(&self, listener: TcpListener) -> Result<()> {
        listener.set_nonblocking(true)?;
        let stop = Arc::new(new_eventfd()?);
        let (shared, stopped) = (Arc::clone(&self.shared), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            while wait(&listener, PollFlags::IN, &stopped, None) == Wait::Ready {
                if let Ok((client, _)) = listener.accept() {
                    shared.accept(client);
                }
            }
        });
        *lock(&self.listener) = Some(Listener { stop, thread });
        Ok(())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.refuse();
        for connection in self.open() {
            connection.finish(How::Rst);
        }
        self.behave(|behaviour| behaviour.mode = Mode::Pass);
        loop {
            let Some(thread) = lock(&self.shared.threads).pop() else {
                break;
            };
            // a thread that panicked has nothing left to clean up
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, client: TcpStream) {
        let behaviour = *lock(&self.behaviour);
        self.counters.connections.fetch_add(1, Ordering::SeqCst);
        if behaviour.mode == Mode::Reject {
            reset_on_close(&client);
            return;
        }
        let ready = client.set_nodelay(true).and_then(|()| client.set_nonblocking(true));
        let (Ok(()), Ok(wake)) = (ready, new_eventfd()) else {
            return;
        };
        let capture = lock(&self.captures).as_mut().map(|captures| {
            let capture = Arc::<Mutex<Captured>>::default();
            captures.push(Arc::clone(&capture));
            capture
        });
        let connection = Arc::new(Connection {
            client,
            server: Mutex::new(None),
            wake,
            end: Mutex::new(None),
            cut_up: Mutex::new(behaviour.cut_up),
            cut_down: Mutex::new(behaviour.cut_down),
            up: AtomicU64::new(0),
            down: AtomicU64::new(0),
            last: AtomicU8::new(0),
            capture,
        });
        lock(&self.connections).push(Arc::clone(&connection));
        let shared = Arc::clone(self);
        let thread = std::thread::spawn(move || {
            shared.serve(&connection);
            lock(&shared.connections).retain(|known| !Arc::ptr_eq(known, &connection));
        });
        let mut threads = lock(&self.threads);
        threads.retain(|thread| !thread.is_finished());
        threads.push(thread);
    }

    /// The life of one connection.
    fn serve(&self, connection: &Connection) {
        if !self.wait_passing(connection) {
            return connection.close();
        }
        let target = lock(&self.target).clone();
        let server = TcpStream::connect(&target)
            .and_then(|server| server.set_nodelay(true).map(|()| server))
            .and_then(|server| server.set_nonblocking(true).map(|()| server));
        match server {
            Ok(server) => {
                let server = Arc::new(server);
                *lock(&connection.server) = Some(Arc::clone(&server));
                std::thread::scope(|scope| {
                    scope.spawn(|| self.pump(connection, &connection.client, &server, Direction::Up));
                    self.pump(connection, &server, &connection.client, Direction::Down);
                });
            }
            Err(_) => connection.finish(How::Rst),
        }
        connection.close();
    }

    /// Moves bytes in one direction until that end of the connection is reached or it is ended.
    fn pump(&self, connection: &Connection, from: &TcpStream, to: &TcpStream, direction: Direction) {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            if wait(from, PollFlags::IN, &connection.wake, None) == Wait::Woken || !self.wait_passing(connection) {
                return connection.drain(from, &mut buffer);
            }
            let count = match (&mut &*from).read(&mut buffer) {
                Ok(0) => {
                    // fails only where the other side is gone already
                    let _ = to.shutdown(Shutdown::Write);
                    return;
                }
                Ok(count) => count,
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                    continue;
                }
                Err(_) => return connection.finish(How::Rst),
            };
            let chunk = &buffer[..count];
            self.count(connection, chunk, direction);
            if !self.forward(connection, chunk, to, direction) {
                return connection.drain(from, &mut buffer);
            }
        }
    }

    fn count(&self, connection: &Connection, chunk: &[u8], direction: Direction) {
        let (who, bytes) = match direction {
            Direction::Up => (1, &self.counters.bytes_up),
            Direction::Down => (2, &self.counters.bytes_down),
        };
        bytes.fetch_add(chunk.len() as u64, Ordering::SeqCst);
        let before = connection.last.swap(who, Ordering::SeqCst);
        if (before, who) == (2, 1) {
            self.counters.round_trips.fetch_add(1, Ordering::SeqCst);
        }
        if let Some(capture) = &connection.capture {
            let mut capture = lock(capture);
            match direction {
                Direction::Up => capture.up.extend(chunk),
                Direction::Down => capture.down.extend(chunk),
            }
        }
    }

    /// Forwards `chunk` as the present behaviour wants it; false when the connection ended.
    fn forward(&self, connection: &Connection, mut chunk: &[u8], to: &TcpStream, direction: Direction) -> bool {
        let (cut, passed) = match direction {
            Direction::Up => (&connection.cut_up, &connection.up),
            Direction::Down => (&connection.cut_down, &connection.down),
        };
        let behaviour = *lock(&self.behaviour);
        if !connection.pause(behaviour.delay) {
            return false;
        }
        let cut = *lock(cut);
        let room = cut.map(|cut| cut.at.saturating_sub(passed.load(Ordering::SeqCst)));
        let ends = room.is_some_and(|room| room <= chunk.len() as u64);
        if let (true, Some(room)) = (ends, room) {
            chunk = &chunk[..room as usize];
        }
        while !chunk.is_empty() {
            let (size, pause) = behaviour.trickle.unwrap_or((chunk.len(), Duration::ZERO));
            let (part, rest) = chunk.split_at(size.min(chunk.len()));
            // before they are sent: who has received them must find them counted
            passed.fetch_add(part.len() as u64, Ordering::SeqCst);
            if !write_all(connection, to, part) {
                return false;
            }
            chunk = rest;
            if !chunk.is_empty() && !connection.pause(pause) {
                return false;
            }
        }
        match cut {
            Some(cut) if ends => {
                connection.finish(cut.how);
                false
            }
            _ => true,
        }
    }

    /// Waits while a black hole is in force; false when the connection is to end.
    fn wait_passing(&self, connection: &Connection) -> bool {
        let mut behaviour = lock(&self.behaviour);
        while behaviour.mode == Mode::BlackHole && lock(&connection.end).is_none() {
            // the time-out is for an end that is ordered without a change of behaviour
            let waited = self.changed.wait_timeout(behaviour, Duration::from_millis(20));
            behaviour = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        lock(&connection.end).is_none()
    }
}

impl Connection {
    /// Orders the connection's end; the first order counts.
    fn finish(&self, how: How) {
        let mut end = lock(&self.end);
        if end.is_some() {
            return;
        }
        *end = Some(how);
        let server = lock(&self.server).clone();
        for stream in [Some(&self.client), server.as_deref()].into_iter().flatten() {
            match how {
                How::Rst => reset_on_close(stream),
                // fails only where the other side is gone already
                How::Fin => drop(stream.shutdown(Shutdown::Write)),
            }
        }
        signal(&self.wake);
    }

    /// After an orderly end: takes in what still comes, or the system would make a reset of it.
    fn drain(&self, from: &TcpStream, buffer: &mut [u8]) {
        if *lock(&self.end) != Some(How::Fin) {
            return;
        }
        let Ok(never) = new_eventfd() else { return };
        let deadline = Instant::now() + Duration::from_secs(2);
        while Instant::now() < deadline {
            if wait(from, PollFlags::IN, &never, Some(Duration::from_millis(50))) == Wait::Ready {
                match (&mut &*from).read(buffer) {
                    Ok(0) => return,
                    Err(error) if error.kind() != ErrorKind::WouldBlock => return,
                    _ => {}
                }
            }
        }
    }

    fn close(&self) {
        // nobody else holds the server's socket after this; the client's goes with the connection
        *lock(&self.server) = None;
    }

    /// Waits; false when the connection is to end.
    fn pause(&self, time: Duration) -> bool {
        if time.is_zero() {
            return lock(&self.end).is_none();
        }
        let timeout = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
        let _ = poll(&mut [PollFd::new(&self.wake, PollFlags::IN)], Some(&timeout));
        lock(&self.end).is_none()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    Ready,
    Woken,
    TimedOut,
}

/// Waits for `events` on `stream` or for `wake`, which wins.
fn wait(stream: &impl std::os::fd::AsFd, events: PollFlags, wake: &OwnedFd, time: Option<Duration>) -> Wait {
    let timeout = time.map(|time| Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) });
    loop {
        let mut fds = [PollFd::new(stream, events), PollFd::new(wake, PollFlags::IN)];
        match poll(&mut fds, timeout.as_ref()) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return Wait::Woken,
            Ok(_) if !fds[1].revents().is_empty() => return Wait::Woken,
            Ok(_) if !fds[0].revents().is_empty() => return Wait::Ready,
            Ok(_) => return Wait::TimedOut,
        }
    }
}

fn write_all(connection: &Connection, to: &TcpStream, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        match (&mut &*to).write(bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if wait(to, PollFlags::OUT, &connection.wake, None) == Wait::Woken {
                    return false;
                }
            }
            Err(_) => {
                connection.finish(How::Rst);
                return false;
            }
        }
    }
    true
}

fn new_eventfd() -> std::io::Result<OwnedFd> {
    Ok(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)
}

fn signal(wake: &OwnedFd) {
    // fails only when it is signalled already
    let _ = rustix::io::write(wake, &1u64.to_ne_bytes());
}

fn reset_on_close(stream: &TcpStream) {
    // fails only on a socket that is closed
    let _ = socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO));
}
