//! The message that carries the first answer: the login, or COM_CHANGE_USER.

use zeroize::Zeroizing;

use crate::conn::Command;
use crate::conn::channel::Channel;
use crate::conn::driver::{Stage, reached};
use crate::error::{Error, Sent};
use crate::wire::login;

/// See the module. Without the method and its answer, which [`Opening::send`] puts in.
#[derive(Clone, Copy, Debug)]
pub(in crate::conn) enum Opening<'a> {
    /// The handshake response.
    Login(login::Login<'a>),
    /// The command.
    ChangeUser(login::ChangeUser<'a>),
}

impl Opening<'_> {
    /// It is COM_CHANGE_USER: the server has not sent a challenge for it.
    pub(in crate::conn) fn is_command(&self) -> bool {
        matches!(self, Opening::ChangeUser(_))
    }

    /// Sends it with the answer of `method`.
    pub(in crate::conn) async fn send(&self, channel: &mut Channel, method: &[u8], answer: &[u8]) -> Result<(), Error> {
        let mut packet = Zeroizing::new(Vec::with_capacity(512));
        match *self {
            Opening::Login(opening) => {
                login::put(&mut packet, &login::Login { method, answer, ..opening });
                reached(if method == super::NATIVE { Stage::Verdict } else { Stage::Exchange });
                channel.queue_packet(&packet);
                channel.flush().await.map_err(|_| Error::lost(channel.family).sent(Sent::No))
            }
            Opening::ChangeUser(opening) => {
                login::put_change_user(&mut packet, &login::ChangeUser { method, answer, ..opening });
                channel.send(Command::ChangeUser, &[&packet]).await
            }
        }
    }
}
