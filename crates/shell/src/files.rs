//! File names. The host stores files by path. A folder exists if the path of a file contains it, or if `mkdir` made it.

use super::run::Run;

/// The home folder, which holds the host's files.
pub(super) const HOME: &str = "/home/berth";

impl Run<'_> {
    /// The path under which the host stores a file.
    pub(super) fn path(&self, name: &str) -> String {
        let absolute = if name.starts_with('/') {
            name.to_owned()
        } else {
            format!("{}/{name}", self.shell.folder)
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in absolute.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        let absolute = format!("/{}", parts.join("/"));
        match absolute.strip_prefix(HOME) {
            Some("") => String::new(),
            Some(rest) if rest.starts_with('/') => rest.get(1..).unwrap_or_default().to_owned(),
            _ => absolute,
        }
    }

    /// The text of a file.
    pub(super) fn read(&self, name: &str) -> Option<String> {
        if name == "/dev/null" {
            return Some(String::new());
        }
        self.host.file(&self.path(name))
    }

    /// Writes a file, or appends to it; an error if there is no room.
    pub(super) fn write(&mut self, name: &str, text: &str, append: bool) -> Result<(), String> {
        if matches!(name, "/dev/null" | "") {
            return Ok(());
        }
        let path = self.path(name);
        let before = if append {
            self.host.file(&path).unwrap_or_default()
        } else {
            String::new()
        };
        let stored = self.store(&path, before + text);
        stored.map_err(|why| format!("{name}: {why}"))
    }

    /// Whether a name is that of a folder: it contains files, or `mkdir` made it.
    pub(super) fn is_folder(&self, name: &str) -> bool {
        let path = self.path(name);
        if path.is_empty() || self.shell.folders.contains(&path) {
            return true;
        }
        let inside = format!("{path}/");
        let files = self.host.files();
        files.iter().any(|file| file.starts_with(&inside))
    }

    /// The names in a folder; those of folders end in a slash.
    pub(super) fn entries(&self, name: &str) -> Vec<String> {
        let path = self.path(name);
        let prefix = if path.is_empty() {
            String::new()
        } else {
            format!("{path}/")
        };
        let made = self.shell.folders.iter().map(|folder| format!("{folder}/"));
        let all = self.host.files().into_iter().chain(made);
        let inside = all.filter_map(|file| {
            let rest = file.strip_prefix(&prefix)?;
            let (first, is_deeper) = match rest.split_once('/') {
                Some((first, _)) => (first, true),
                None => (rest, false),
            };
            let end = if is_deeper { "/" } else { "" };
            (!first.is_empty()).then(|| format!("{first}{end}"))
        });
        let names: std::collections::BTreeSet<String> = inside.collect();
        names.into_iter().collect()
    }

    /// The files in a folder that match a pattern with `*` and `?`.
    pub(super) fn matching_files(&self, pattern: &str) -> Vec<String> {
        let (folder, pattern) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let folder = if folder.is_empty() {
            String::new()
        } else {
            format!("{folder}/")
        };
        self.entries(&folder)
            .iter()
            .map(|name| name.trim_end_matches('/'))
            .filter(|name| !name.starts_with('.') || pattern.starts_with('.'))
            .filter(|name| fits(pattern, name))
            .map(|name| format!("{folder}{name}"))
            .collect()
    }
}

/// Whether a name matches a pattern with `*` and `?`.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut in_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(letter) if *letter == '?' || Some(letter) == name.get(in_name) => {
                at += 1;
                in_name += 1;
            }
            _ => match star {
                Some((back, taken)) => {
                    star = Some((back, taken + 1));
                    at = back + 1;
                    in_name = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns_fit_names() {
        for (pattern, name, does) in [
            ("*.yaml", "a.yaml", true),
            ("*.yaml", "a.yml", false),
            ("a*b*c", "aXbYbZc", true),
            ("?.y", "a.y", true),
            ("?.y", ".y", false),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, name), does, "{pattern} {name}");
        }
    }
}
