//! TLS: trust, the client's own certificate, and errors in words.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};

use super::failure::{Failure, Reason};

/// Where trust and identity come from.
#[derive(Clone, Debug, Default)]
pub struct TlsFiles {
    /// PEM files with certificate authorities trusted beside the public ones.
    pub ca: Vec<PathBuf>,
    /// PEM files with the client's own certificate chain and its private key.
    pub identity: Option<Identity>,
    /// The name to ask for and to check in place of the target's host.
    pub server_name: Option<String>,
}

/// A client certificate.
#[derive(Clone, Debug)]
pub struct Identity {
    /// PEM file with the certificate and its chain.
    pub certificate: PathBuf,
    /// PEM file with the private key.
    pub key: PathBuf,
}

/// Trust and identity, loaded.
#[derive(Clone, Debug)]
pub struct Tls {
    pub(super) config: Arc<ClientConfig>,
    pub(super) server_name: Option<ServerName<'static>>,
}

/// Why trust or identity could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The file does not hold what it should.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Certificate and key do not go together.
    #[error("{} and {} are no usable pair: {problem}", certificate.display(), key.display())]
    Pair {
        /// The certificate's file.
        certificate: PathBuf,
        /// The key's file.
        key: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// No name a certificate could hold.
    #[error("server name `{0}` is neither a DNS name nor an IP address")]
    ServerName(String),
    /// The cryptography refused its own defaults.
    #[error("TLS cannot be set up: {0}")]
    Setup(rustls::Error),
}

impl Tls {
    /// Reads the files. Blocks; meant for the time before a run.
    ///
    /// # Errors
    /// The error names the file and what is wrong with it.
    pub fn load(files: &TlsFiles) -> Result<Self, TlsError> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for path in &files.ca {
            for certificate in certificates(path)? {
                roots.add(certificate).map_err(|error| TlsError::Content {
                    path: path.clone(),
                    problem: format!("holds a certificate that cannot be trusted: {error}"),
                })?;
            }
        }
        // Named here rather than installed for the process: with a second provider in the tree the default would panic.
        let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?
            .with_root_certificates(roots);
        let mut config = match &files.identity {
            None => builder.with_no_client_auth(),
            Some(Identity { certificate, key }) => {
                builder.with_client_auth_cert(certificates(certificate)?, private_key(key)?).map_err(|error| {
                    TlsError::Pair { certificate: certificate.clone(), key: key.clone(), problem: error.to_string() }
                })?
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let server_name = match &files.server_name {
            None => None,
            Some(name) => Some(ServerName::try_from(name.clone()).map_err(|_| TlsError::ServerName(name.clone()))?),
        };
        Ok(Self { config: Arc::new(config), server_name })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    std::fs::read(path).map_err(|error| TlsError::Read { path: path.to_owned(), error })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let problem = |problem: String| TlsError::Content { path: path.to_owned(), problem };
    let found = CertificateDer::pem_slice_iter(&read(path)?)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| problem(format!("is no PEM file: {error}")))?;
    if found.is_empty() { Err(problem("holds no certificate in PEM form".to_owned())) } else { Ok(found) }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(&read(path)?).map_err(|error| TlsError::Content {
        path: path.to_owned(),
        problem: format!("holds no private key in PEM form: {error}"),
    })
}

/// The failure within an I/O error that TLS raised; none where TLS did not.
pub(super) fn failure_within(error: &io::Error) -> Option<Failure> {
    let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    Some(Failure::new(Reason::Tls, explain(error)))
}

/// The failure of a handshake.
pub(super) fn handshake_failure(error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::UnexpectedEof && failure_within(error).is_none() {
        return Failure::new(Reason::Tls, "closed during the handshake");
    }
    Failure::of_io(error)
}

fn explain(error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(problem) => match problem {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                format!("the certificate has expired ({problem})")
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                format!("the certificate is not valid yet ({problem})")
            }
            CertificateError::UnknownIssuer => {
                "unknown issuer: the certificate is signed by no authority that is trusted here; \
                 name its authority with `ca`"
                    .to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                format!("name mismatch: {problem}")
            }
            _ => format!("the certificate is not acceptable: {problem}"),
        },
        rustls::Error::AlertReceived(alert) => format!("the peer refused: {alert:?}"),
        rustls::Error::InvalidMessage(problem) => format!("the peer does not speak TLS here: {problem:?}"),
        _ => error.to_string(),
    }
}
