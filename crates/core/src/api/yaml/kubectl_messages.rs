//! Lines that kubectl writes to standard error, and that are in a dump after `2>&1` or after a copy from a terminal.

/// Whether a line, which begins at the first column, is a message of kubectl and no YAML or JSON of an object.
pub fn is_message(line: &str) -> bool {
    // Most lines are told by their first letter.
    if !line.starts_with(['E', 'I', 'N', 'T', 'U', 'W', 'e']) {
        return false;
    }
    let begins = [
        "Error from server",
        "error: ",
        "Error: ",
        "Unable to connect to the server",
        "The connection to the server ",
        "No resources found",
        "Warning: ",
    ];
    begins.iter().any(|begin| line.starts_with(begin)) || is_logged(line)
}

/// Whether a line is one of klog: `E0102 15:04:05.678901   12345 memcache.go:265] …`.
fn is_logged(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let (Some(day), Some(time)) = (words.next(), words.next()) else {
        return false;
    };
    let digits = day.get(1..).unwrap_or_default();
    digits.len() == 4
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && time.matches(':').count() == 2
        && line.contains("] ")
}

#[cfg(test)]
mod tests {
    use super::is_message;

    #[test]
    fn messages_are_told_from_yaml() {
        for line in [
            "Error from server (Forbidden): secrets is forbidden: User \"dev\" cannot list resource \"secrets\"",
            "error: You must be logged in to the server (Unauthorized)",
            "Unable to connect to the server: dial tcp 10.0.0.1:443: i/o timeout",
            "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
            "No resources found in default namespace.",
            "Warning: v1 ComponentStatus is deprecated in v1.19+",
            "E0102 15:04:05.678901   12345 memcache.go:265] couldn't get current server API group list",
        ] {
            assert!(is_message(line), "{line}");
        }
        for line in [
            "kind: Pod",
            "Events:",
            "errors: 3",
            "E0102: x",
            "Name: web",
            "Errata",
        ] {
            assert!(!is_message(line), "{line}");
        }
    }
}
