//! One origin (scheme, host and port) with its idle connections and addresses, and the way from an authority to it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use rustls::pki_types::ServerName;

use super::connect::Connect;
use super::failure::{Failure, Reason};
use super::resolve::Addresses;
use super::seat::Seat;
use super::settings::Settings;
use super::target::{OriginName, parse_authority};
use crate::clock::Clock;

/// Spellings of authorities that are remembered.
const AUTHORITIES_KEPT: usize = 1_000;

/// An origin that connections lead to.
pub(super) struct Origin {
    pub(super) name: OriginName,
    /// The value of an added `host` field.
    pub(super) host_field: String,
    /// The target's base path; empty for other origins.
    pub(super) base_path: String,
    /// The name TLS asks for and checks.
    pub(super) server_name: Result<ServerName<'static>, Failure>,
    /// Idle connections, the last used at the end. Those that died in the meantime stay until they are met.
    pub(super) idle: RefCell<Vec<Rc<Seat>>>,
    /// The only address to dial, where it is known without a look-up.
    fixed: Option<SocketAddr>,
    addresses: Addresses,
}

impl Origin {
    fn new(name: OriginName, settings: &Settings) -> Rc<Self> {
        let is_target = name == settings.target.origin;
        let set = settings.resolve.filter(|_| is_target);
        let fixed = match set {
            Some(dial) => Some(SocketAddr::new(dial.ip, dial.port.unwrap_or(name.port))),
            None => name.host.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, name.port)),
        };
        let server_name = match settings.tls.server_name.clone().filter(|_| is_target) {
            Some(name) => Ok(name),
            None => ServerName::try_from(name.host.clone())
                .map_err(|_| Failure::new(Reason::Tls, format!("`{}` is no name a certificate can hold", name.host))),
        };
        Rc::new(Self {
            host_field: name.authority(),
            base_path: if is_target { settings.target.base_path.clone() } else { String::new() },
            server_name,
            idle: RefCell::new(Vec::new()),
            fixed,
            addresses: Addresses::new(settings.resolve_age),
            name,
        })
    }

    /// The addresses to try, in order, and whether a look-up had to be waited for.
    pub(super) async fn addresses(
        &self,
        network: &dyn Connect,
        clock: &dyn Clock,
    ) -> Result<(Vec<SocketAddr>, bool), Failure> {
        match self.fixed {
            Some(address) => Ok((vec![address], false)),
            None => self.addresses.get(&self.name.host, self.name.port, network, clock).await,
        }
    }
}

/// All origins met so far, the target first.
pub(super) struct Origins {
    settings: Arc<Settings>,
    target: Rc<Origin>,
    others: RefCell<Vec<Rc<Origin>>>,
    by_authority: RefCell<HashMap<String, Rc<Origin>>>,
}

impl Origins {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        let target = Origin::new(settings.target.origin.clone(), &settings);
        Self { settings, target, others: RefCell::default(), by_authority: RefCell::default() }
    }

    /// Where requests without an authority go.
    pub(super) fn target(&self) -> &Rc<Origin> {
        &self.target
    }

    /// The origin of an authority, which has the target's scheme.
    pub(super) fn of_authority(&self, authority: &str) -> Result<Rc<Origin>, Failure> {
        if let Some(origin) = self.by_authority.borrow().get(authority) {
            return Ok(Rc::clone(origin));
        }
        let name = parse_authority(self.target.name.scheme, authority)
            .map_err(|error| Failure::new(Reason::Protocol, format!("authority: {error}")))?;
        let origin = self.of_name(name)?;
        let mut known = self.by_authority.borrow_mut();
        // A plugin can spell one host in many ways.
        if known.len() >= AUTHORITIES_KEPT {
            known.clear();
        }
        known.insert(authority.to_owned(), Rc::clone(&origin));
        Ok(origin)
    }

    /// The origin of that name, if the settings allow it.
    pub(super) fn of_name(&self, name: OriginName) -> Result<Rc<Origin>, Failure> {
        if name == self.target.name {
            return Ok(Rc::clone(&self.target));
        }
        if let Some(origin) = self.others.borrow().iter().find(|origin| origin.name == name) {
            return Ok(Rc::clone(origin));
        }
        if !self.settings.allowed_hosts.iter().any(|allowed| allowed.matches(&name)) {
            return Err(Failure::new(
                Reason::HostNotAllowed,
                format!(
                    "{}://{} is not the target and not among the allowed hosts",
                    name.scheme.as_str(),
                    name.authority()
                ),
            ));
        }
        let origin = Origin::new(name, &self.settings);
        self.others.borrow_mut().push(Rc::clone(&origin));
        Ok(origin)
    }

    /// Visits every origin until `visit` says that it has seen enough.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&Rc<Origin>) -> bool) {
        if visit(&self.target) {
            return;
        }
        for origin in self.others.borrow().iter() {
            if visit(origin) {
                return;
            }
        }
    }
}
