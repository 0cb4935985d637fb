//! The client against servers that write exact bytes: in memory on virtual time wherever time matters, over loopback
//! sockets where the operating system does.

mod answers;
mod heads;
pub(crate) mod kit;
mod moments;
mod network;
mod pooling;
mod reasons;
mod redirects;
pub(crate) mod sockets;
mod streams;
mod timeouts;
mod tls;
