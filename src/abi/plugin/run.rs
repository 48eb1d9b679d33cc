//! The program's own methods at work: C functions behind the traits of [`crate::options::methods`].
//!
//! While one runs, the handle shows the login that it is part of in its public fields, and the program can use it for
//! nothing else.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_ulong, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;
use std::task::Poll;

use crate::abi::dialog;
use crate::abi::entry::{clear_error, set_error};
use crate::abi::family::{Abi, Function, mariadb, mysql};
use crate::abi::handle::Handle;
use crate::error::{Error, Origin, Sent};
use crate::options::Family;
use crate::options::methods::{Account, Ask, Exchange, Method, Methods, Run, Verdict};

use super::registry;

/// `authenticate_user`.
type Authenticate<F> = unsafe extern "C" fn(*mut Vio<F>, *mut <F as Abi>::Mysql) -> c_int;
/// `authenticate_user_nonblocking`.
type AuthenticateStep<F> = unsafe extern "C" fn(*mut Vio<F>, *mut <F as Abi>::Mysql, *mut c_int) -> c_int;

/// `NET_ASYNC_COMPLETE` and `NET_ASYNC_NOT_READY`.
const COMPLETE: c_int = 0;
const NOT_READY: c_int = 1;

/// The methods of a handle's program. Made by the call that connects.
pub(in crate::abi) struct OfHandle<F: Abi> {
    mysql: *mut F::Mysql,
}

// SAFETY: the handle is used by one thread at a time, and this with it.
unsafe impl<F: Abi> Send for OfHandle<F> {}
// SAFETY: as above.
unsafe impl<F: Abi> Sync for OfHandle<F> {}

impl<F: Abi> fmt::Debug for OfHandle<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OfHandle({:p})", self.mysql)
    }
}

impl<F: Abi> OfHandle<F> {
    /// For the handle at `mysql`, which must not be moved while it lives.
    pub fn of(mysql: *mut F::Mysql) -> Arc<dyn Methods> {
        Arc::new(OfHandle::<F> { mysql })
    }
}

impl<F: Abi> Methods for OfHandle<F> {
    fn find(&self, name: &[u8]) -> Option<Arc<dyn Method>> {
        let plugin = registry::find(F::FAMILY, super::AUTHENTICATION, name)?;
        // SAFETY: a registered plugin of this type is one of the family's authentication plugins.
        let (authenticate, step) = unsafe { functions::<F>(plugin) };
        Some(Arc::new(OfProgram::<F> { name: name.to_vec(), mysql: self.mysql, authenticate: authenticate?, step }))
    }

    fn saw(&self, sent: bool, bytes: Option<&[u8]>) {
        crate::abi::watch::tell::<F>(self.mysql, sent, bytes);
    }

    fn dialog(&self, account: Account) -> Box<dyn Ask> {
        Box::new(dialog::Asker::new(Stage::<F>::new(self.mysql, account)))
    }
}

/// The functions behind a plugin's head.
///
/// # Safety
/// `plugin` is one of the family's authentication plugins.
unsafe fn functions<F: Abi>(plugin: *const c_void) -> (Option<Authenticate<F>>, Option<AuthenticateStep<F>>) {
    let head = match F::FAMILY {
        Family::MySql => size_of::<mysql::ClientPlugin>(),
        Family::MariaDb => size_of::<mariadb::ClientPlugin>(),
    };
    let first = plugin.cast::<u8>().wrapping_add(head).cast::<Function>();
    // SAFETY: the caller's promise.
    let authenticate = unsafe { first.read() };
    let step = match F::FAMILY {
        // SAFETY: the caller's promise; the MySQL family's has a second one.
        Family::MySql => unsafe { first.add(1).read() },
        Family::MariaDb => None,
    };
    // SAFETY: pointers to functions of these types, or NULL.
    let authenticate = unsafe { std::mem::transmute::<Function, Option<Authenticate<F>>>(authenticate) };
    // SAFETY: as above.
    let step = unsafe { std::mem::transmute::<Function, Option<AuthenticateStep<F>>>(step) };
    (authenticate, step)
}

/// A registered method.
struct OfProgram<F: Abi> {
    name: Vec<u8>,
    mysql: *mut F::Mysql,
    authenticate: Authenticate<F>,
    step: Option<AuthenticateStep<F>>,
}

// SAFETY: as for `OfHandle`; the functions are the program's.
unsafe impl<F: Abi> Send for OfProgram<F> {}
// SAFETY: as above.
unsafe impl<F: Abi> Sync for OfProgram<F> {}

impl<F: Abi> fmt::Debug for OfProgram<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OfProgram({:?})", String::from_utf8_lossy(&self.name))
    }
}

impl<F: Abi> Method for OfProgram<F> {
    fn name(&self) -> &[u8] {
        &self.name
    }

    fn begin(&self, account: Account) -> Box<dyn Run> {
        let head = Head::<F>::new();
        Box::new(Running {
            stage: Stage::new(self.mysql, account),
            vio: Box::new(Vio { head, exchange: None, mysql: self.mysql }),
            authenticate: self.authenticate,
            step: self.step,
            error: None,
        })
    }
}

/// The family's `MYSQL_PLUGIN_VIO`, in the size of the larger one: what lies behind the smaller one's end is ours.
#[repr(C)]
struct Head<F: Abi> {
    functions: mysql::PluginVio,
    family: std::marker::PhantomData<F>,
}

impl<F: Abi> Head<F> {
    fn new() -> Self {
        let erase = |function: *const ()| -> Function {
            // SAFETY: programs call it as the function that the family's header says it is.
            unsafe { std::mem::transmute::<*const (), Function>(function) }
        };
        let functions = mysql::PluginVio {
            read_packet: erase(read::<F> as *const ()),
            write_packet: erase(write::<F> as *const ()),
            info: erase(info::<F> as *const ()),
            read_packet_nonblocking: erase(read_step::<F> as *const ()),
            write_packet_nonblocking: erase(write_step::<F> as *const ()),
        };
        Head { functions, family: std::marker::PhantomData }
    }
}

/// `MYSQL_PLUGIN_VIO` and what is behind it.
#[repr(C)]
pub(super) struct Vio<F: Abi> {
    head: Head<F>,
    /// Only while the program's function runs.
    exchange: Option<*mut (dyn Exchange + 'static)>,
    mysql: *mut F::Mysql,
}

/// One login with a method.
struct Running<F: Abi> {
    stage: Stage<F>,
    vio: Box<Vio<F>>,
    authenticate: Authenticate<F>,
    step: Option<AuthenticateStep<F>>,
    /// What lay in the handle when the last step had ended.
    error: Option<Error>,
}

impl<F: Abi> Running<F> {
    /// Lets the program's function run over `exchange`.
    fn with<T>(&mut self, exchange: &mut dyn Exchange, work: impl FnOnce(*mut Vio<F>, *mut F::Mysql) -> T) -> T {
        let exchange: *mut (dyn Exchange + '_) = exchange;
        // SAFETY: the lifetime is taken off; the pointer is away again before `exchange` is.
        let exchange =
            unsafe { std::mem::transmute::<*mut (dyn Exchange + '_), *mut (dyn Exchange + 'static)>(exchange) };
        self.vio.exchange = Some(exchange);
        let vio: *mut Vio<F> = &mut *self.vio;
        let (result, error) = self.stage.play(self.error.take(), |mysql| work(vio, mysql));
        self.vio.exchange = None;
        self.error = error;
        result
    }
}

impl<F: Abi> Run for Running<F> {
    fn can_step(&self) -> bool {
        self.step.is_some()
    }

    fn run(&mut self, exchange: &mut dyn Exchange) -> Verdict {
        let authenticate = self.authenticate;
        // SAFETY: the program's function, with a valid vio and its own handle.
        let code = self.with(exchange, |vio, mysql| unsafe { authenticate(vio, mysql) });
        Verdict { code, error: self.error.take() }
    }

    fn step(&mut self, exchange: &mut dyn Exchange) -> Poll<Verdict> {
        let Some(step) = self.step else { return Poll::Ready(self.run(exchange)) };
        let mut code = 0;
        // SAFETY: the program's function, with a valid vio, its own handle and a place for its number.
        let status = self.with(exchange, |vio, mysql| unsafe { step(vio, mysql, &raw mut code) });
        if status == NOT_READY { Poll::Pending } else { Poll::Ready(Verdict { code, error: self.error.take() }) }
    }
}

/// A login in the public fields of its handle, for as long as a function of the program runs.
pub(in crate::abi) struct Stage<F: Abi> {
    mysql: *mut F::Mysql,
    account: Account,
    /// NUL-ended: user, password, schema, host, socket, version, description of the host.
    texts: [Option<zeroize::Zeroizing<Vec<u8>>>; 7],
}

/// The fields that a [`Stage`] changes.
struct Saved {
    texts: [*mut c_char; 7],
    fd: c_int,
    port: c_uint,
    protocol: c_uint,
    read_pos: *mut u8,
    longs: [c_ulong; 3],
}

impl<F: Abi> Stage<F> {
    /// For the handle at `mysql`, which stays where it is.
    fn new(mysql: *mut F::Mysql, account: Account) -> Self {
        let text = |text: &[u8]| Some(zeroize::Zeroizing::new([text, &[0]].concat()));
        let texts = [
            text(&account.user),
            text(&account.password),
            account.database.as_deref().and_then(text),
            account.host.as_deref().and_then(text),
            account.socket.as_deref().and_then(text),
            text(&account.server_version),
            text(&account.host_info),
        ];
        Stage { mysql, account, texts }
    }

    fn places(&self) -> [*mut *mut c_char; 7] {
        let mysql = self.mysql;
        [
            F::user(mysql),
            F::passwd(mysql),
            F::db(mysql),
            F::host(mysql),
            F::unix_socket(mysql),
            F::server_version(mysql),
            F::host_info(mysql),
        ]
    }

    fn longs(&self) -> [*mut c_ulong; 3] {
        [F::thread_id(self.mysql), F::server_capabilities(self.mysql), F::client_flag(self.mysql)]
    }

    /// Runs `work` with the handle as it has to look like; the error that it left there, `before` being the one at first.
    pub fn play<T>(&self, before: Option<Error>, work: impl FnOnce(*mut F::Mysql) -> T) -> (T, Option<Error>) {
        let mysql = self.mysql;
        // SAFETY: the handle of the call that connects, which outlives it. Fields only: nobody borrows them.
        unsafe {
            let slot = F::handle_slot(mysql).read().cast::<Handle<F>>();
            let saved = self.enter();
            clear_error::<F>(mysql);
            if let Some(error) = before {
                set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
            }
            let was_pending = Handle::<F>::pending(mysql).is_some();
            Handle::set_pending(slot, true);
            let result = work(mysql);
            Handle::set_pending(slot, was_pending);
            let error = left::<F>(mysql);
            self.leave(&saved);
            (result, error)
        }
    }

    /// # Safety
    /// A valid handle.
    unsafe fn enter(&self) -> Saved {
        let (mysql, account) = (self.mysql, &self.account);
        // SAFETY: the caller's promise.
        unsafe {
            let saved = Saved {
                texts: self.places().map(|place| place.read()),
                fd: F::fd(mysql).read(),
                port: F::port(mysql).read(),
                protocol: F::protocol_version(mysql).read(),
                read_pos: F::read_pos(mysql).read(),
                longs: self.longs().map(|place| place.read()),
            };
            for (place, text) in self.places().into_iter().zip(&self.texts) {
                place.write(text.as_ref().map_or(ptr::null_mut(), |text| text.as_ptr().cast_mut().cast()));
            }
            let numbers = [account.thread_id, account.capabilities & 0xFFFF_FFFF, account.client_flag];
            for (place, number) in self.longs().into_iter().zip(numbers) {
                place.write(number as c_ulong);
            }
            F::fd(mysql).write(account.fd);
            F::port(mysql).write(c_uint::from(account.port));
            F::protocol_version(mysql).write(10);
            let challenge = F::scramble(mysql).cast::<u8>();
            let length = account.challenge.len().min(SCRAMBLE);
            ptr::copy_nonoverlapping(account.challenge.as_ptr(), challenge, length);
            challenge.add(length).write(0);
            saved
        }
    }

    /// # Safety
    /// A valid handle.
    unsafe fn leave(&self, saved: &Saved) {
        let mysql = self.mysql;
        // SAFETY: the caller's promise.
        unsafe {
            for (place, text) in self.places().into_iter().zip(saved.texts) {
                place.write(text);
            }
            for (place, number) in self.longs().into_iter().zip(saved.longs) {
                place.write(number);
            }
            F::fd(mysql).write(saved.fd);
            F::port(mysql).write(saved.port);
            F::protocol_version(mysql).write(saved.protocol);
            F::read_pos(mysql).write(saved.read_pos);
        }
    }
}

/// Length of `MYSQL.scramble` without its NUL, bytes.
const SCRAMBLE: usize = 20;

/// The error that lies in a handle.
///
/// # Safety
/// A valid handle.
unsafe fn left<F: Abi>(mysql: *mut F::Mysql) -> Option<Error> {
    // SAFETY: the caller's promise.
    let code = unsafe { F::last_errno(mysql).read() };
    if code == 0 {
        return None;
    }
    // SAFETY: as above; so many bytes lie there.
    let text = unsafe { std::slice::from_raw_parts(F::last_error(mysql).cast::<u8>(), F::ERROR_SIZE) };
    // SAFETY: as above.
    let state = unsafe { std::slice::from_raw_parts(F::sqlstate(mysql).cast::<u8>(), 5) };
    let message = text.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
    let sqlstate = state.try_into().unwrap_or(crate::error::HY000);
    Some(Error { code, sqlstate, message, origin: Origin::Client, sent: Sent::No })
}

/// The exchange behind a vio.
///
/// # Safety
/// `vio` is one of ours, and a function of the program runs with it.
unsafe fn exchange<'a, F: Abi>(vio: *mut Vio<F>) -> Option<(&'a mut dyn Exchange, *mut F::Mysql)> {
    // SAFETY: the caller's promise.
    let (exchange, mysql) = unsafe { ((*vio).exchange?, (*vio).mysql) };
    // SAFETY: set only for the time that the program's function runs, which has lent it.
    Some((unsafe { &mut *exchange }, mysql))
}

/// What the program is told of a packet, or of none.
///
/// # Safety
/// As for [`exchange`]; `buffer` is a writable place.
unsafe fn tell<F: Abi>(
    exchange: &mut dyn Exchange,
    mysql: *mut F::Mysql,
    buffer: *mut *mut u8,
    packet: Option<(*const u8, usize)>,
) -> c_int {
    let last = exchange.last();
    // SAFETY: the handle's own field.
    unsafe { F::read_pos(mysql).write(last.as_ptr().cast_mut()) };
    if let Some((start, length)) = packet {
        // SAFETY: the caller's promise.
        unsafe { buffer.write(start.cast_mut()) };
        return c_int::try_from(length).unwrap_or(c_int::MAX);
    }
    match exchange.error() {
        Some(error) => set_error::<F>(mysql, error.code, &error.sqlstate, &error.message),
        // The server asks for another method.
        // SAFETY: the caller's promise.
        None => unsafe { buffer.write(last.as_ptr().cast_mut()) },
    }
    -1
}

fn place(packet: Option<&[u8]>) -> Option<(*const u8, usize)> {
    packet.map(|packet| (packet.as_ptr(), packet.len()))
}

unsafe extern "C" fn read<F: Abi>(vio: *mut Vio<F>, buffer: *mut *mut u8) -> c_int {
    // SAFETY: the program calls it with the vio that it was given.
    let Some((exchange, mysql)) = (unsafe { exchange(vio) }) else { return -1 };
    let packet = place(exchange.read());
    // SAFETY: as above; the program gives a place.
    unsafe { tell::<F>(exchange, mysql, buffer, packet) }
}

unsafe extern "C" fn read_step<F: Abi>(vio: *mut Vio<F>, buffer: *mut *mut u8, result: *mut c_int) -> c_int {
    // SAFETY: the program calls it with the vio that it was given.
    let Some((exchange, mysql)) = (unsafe { exchange(vio) }) else { return COMPLETE };
    let packet = match exchange.try_read() {
        Poll::Pending => return NOT_READY,
        Poll::Ready(packet) => place(packet),
    };
    // SAFETY: as above; the program gives two places.
    unsafe { result.write(tell::<F>(exchange, mysql, buffer, packet)) };
    COMPLETE
}

/// Sends so many bytes: 0, or 1 with the error in the handle.
///
/// # Safety
/// As for [`exchange`]; `packet` has so many readable bytes, or is NULL.
unsafe fn send<F: Abi>(vio: *mut Vio<F>, packet: *const u8, length: usize) -> c_int {
    // SAFETY: the program calls it with the vio that it was given.
    let Some((exchange, mysql)) = (unsafe { exchange(vio) }) else { return 1 };
    // SAFETY: the caller's promise.
    let packet = unsafe { crate::abi::convert::slice(packet.cast(), length as c_ulong) };
    if exchange.write(packet) {
        return 0;
    }
    // As the originals: what went wrong first stays.
    // SAFETY: the handle's own field.
    if unsafe { F::last_errno(mysql).read() } == 0
        && let Some(error) = exchange.error()
    {
        set_error::<F>(mysql, error.code, &error.sqlstate, &error.message);
    }
    1
}

unsafe extern "C" fn write<F: Abi>(vio: *mut Vio<F>, packet: *const u8, length: c_int) -> c_int {
    // SAFETY: the program's promise.
    unsafe { send(vio, packet, usize::try_from(length).unwrap_or_default()) }
}

unsafe extern "C" fn write_step<F: Abi>(
    vio: *mut Vio<F>,
    packet: *const u8,
    length: c_int,
    result: *mut c_int,
) -> c_int {
    // SAFETY: the program's promise.
    unsafe { result.write(write(vio, packet, length)) };
    COMPLETE
}

unsafe extern "C" fn info<F: Abi>(vio: *mut Vio<F>, place: *mut c_void) {
    /// `MYSQL_VIO_TCP` and `MYSQL_VIO_SOCKET`.
    const TCP: c_uint = 1;
    const SOCKET: c_uint = 2;
    // SAFETY: the program calls it with the vio that it was given.
    let Some((exchange, _)) = (unsafe { exchange(vio) }) else { return };
    let line = exchange.line();
    let (protocol, socket) = (if line.is_unix { SOCKET } else { TCP }, line.fd);
    // SAFETY: the program gives a place for the family's struct.
    unsafe {
        match F::FAMILY {
            Family::MySql => {
                let is_tls_established = c_char::from(line.is_tls);
                let place = place.cast::<mysql::PluginVioInfo>();
                (*place).protocol = protocol;
                (*place).socket = socket;
                (*place).is_tls_established = is_tls_established;
            }
            Family::MariaDb => {
                let place = place.cast::<mariadb::PluginVioInfo>();
                (*place).protocol = protocol;
                (*place).socket = socket;
            }
        }
    }
}
