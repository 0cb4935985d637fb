//! A file that another program makes, and that is gone once it has been read.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::Fault;

/// What `make` writes to the path it is given. Nothing of it is left in the plugin's folder.
///
/// # Errors
/// Those of `make`, and where it has written nothing.
pub(crate) fn by(folder: &Path, make: impl FnOnce(&Path) -> Result<(), Fault>) -> Result<Vec<u8>, Fault> {
    let failed = |error: std::io::Error| {
        Fault::call(format!("no temporary file can be made: {error}"), "free some disk space, or set TMPDIR")
    };
    let place = tempfile::tempdir().map_err(failed)?;
    let out = place.path().join("plugin.wasm");
    make(&out)?;
    // A pipe or a device would never end.
    let regular = fs::symlink_metadata(&out).is_ok_and(|metadata| metadata.is_file());
    let read = if regular { fs::read(&out) } else { Err(ErrorKind::NotFound.into()) };
    read.map_err(|error| {
        Fault::plugin(
            format!("the build in {} ended well and wrote nothing: {error}", folder.display()),
            "look at what it says above",
        )
    })
}
