//! Paths of this machine in what was built.

use std::path::Path;

/// The first path in a component that lies in one of these folders, as far as it can be shown. Folders right below the root
/// (`/app`, `/root`) are left out: they tell nothing, and a path of a request may begin so.
pub fn path_in<'a>(component: &[u8], folders: impl IntoIterator<Item = &'a Path>) -> Option<String> {
    let folders = folders.into_iter().filter(|folder| folder.components().count() > 2);
    folders.filter_map(Path::to_str).find_map(|folder| {
        let needle = format!("{folder}/");
        let at = component.windows(needle.len()).position(|window| window == needle.as_bytes())?;
        let shown: Vec<u8> = component[at..].iter().copied().take(120).take_while(u8::is_ascii_graphic).collect();
        Some(String::from_utf8_lossy(&shown).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_left_is_found_and_shown() {
        let folders = ["/", "/app", "/home/a"].map(Path::new);
        assert_eq!(path_in(b"..panicked at /home/a/x.rs\0more", folders), Some("/home/a/x.rs".to_owned()));
        assert_eq!(path_in(b"..panicked at /home/abc/x.rs, GET /app/x", folders), None);
    }
}
