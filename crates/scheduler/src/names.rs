//! The syntax of names, label keys and label values (`k8s.io/apimachinery`, `util/validation`).
//!
//! Functions that end in `_errors` return the errors of a value with the API server's messages; none
//! if it is valid.

use super::field::{FieldError, Path};

const LABEL_KEY_FORMAT: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const DNS_LABEL_FORMAT: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS_LABEL_MAX_BYTES: usize = 63;
const DNS_SUBDOMAIN_MAX_BYTES: usize = 253;

/// The errors of a label key at `path`.
pub fn label_key(path: &Path, key: &str) -> Vec<FieldError> {
    let errors = label_key_errors(key);
    errors
        .iter()
        .map(|detail| FieldError::invalid(path, key, detail))
        .collect()
}

/// A "qualified name": an optional DNS subdomain and `/`, then a name.
pub fn label_key_errors(key: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let name_format = || {
        format!(
            "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with \
             an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used \
             for validation is '{LABEL_KEY_FORMAT}')"
        )
    };
    let name = match key.split('/').collect::<Vec<_>>().as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                errors.push("prefix part must be non-empty".to_owned());
            } else {
                let wrong = dns_subdomain_errors(prefix);
                errors.extend(
                    wrong
                        .into_iter()
                        .map(|error| format!("prefix part {error}")),
                );
            }
            *name
        }
        _ => {
            return vec![format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' \
                 (e.g. 'example.com/MyName')",
                name_format()
            )];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        errors.push(format!("name part {}", max_length(63)));
    }
    if !is_label_name(name) {
        errors.push(format!("name part {}", name_format()));
    }
    errors
}

/// The value of a label: empty, or like a key without a prefix.
pub fn label_value_errors(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > 63 {
        errors.push(max_length(63));
    }
    if !value.is_empty() && !is_label_name(value) {
        errors.push(format!(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' \
             or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or \
             'my_value',  or '12345', regex used for validation is '({LABEL_KEY_FORMAT})?')"
        ));
    }
    errors
}

/// A DNS label of RFC 1123: names of Namespaces, containers and volumes.
pub fn dns_label_errors(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > DNS_LABEL_MAX_BYTES {
        errors.push(max_characters(DNS_LABEL_MAX_BYTES));
    }
    if !is_dns_label(value) {
        errors.push(match is_dns_subdomain(value) {
            true => "must not contain dots".to_owned(),
            false => format!(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \
                 '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or \
                 '123-abc', regex used for validation is '{DNS_LABEL_FORMAT}')"
            ),
        });
    }
    errors
}

/// A DNS subdomain of RFC 1123: names of most objects.
pub fn dns_subdomain_errors(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > DNS_SUBDOMAIN_MAX_BYTES {
        errors.push(max_characters(DNS_SUBDOMAIN_MAX_BYTES));
    }
    if !is_dns_subdomain(value) {
        errors.push(format!(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \
             '-' or '.', and must start and end with an alphanumeric character (e.g. \
             'example.com', regex used for validation is \
             '{DNS_LABEL_FORMAT}(\\.{DNS_LABEL_FORMAT})*')"
        ));
    }
    errors
}

/// A DNS subdomain whose first label is `*`: hosts of Ingresses.
pub fn wildcard_subdomain_errors(value: &str) -> Vec<String> {
    if value.strip_prefix("*.").is_some_and(is_dns_subdomain) {
        return Vec::new();
    }
    vec![format!(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, \
         which must consist of lower case alphanumeric characters, '-' or '.' and end with an \
         alphanumeric character (e.g. '*.example.com', regex used for validation is \
         '\\*\\.{DNS_LABEL_FORMAT}(\\.{DNS_LABEL_FORMAT})*')"
    )]
}

/// A DNS label of RFC 1035, which must not start with a digit: names of Services.
pub fn dns_1035_label_errors(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > DNS_LABEL_MAX_BYTES {
        errors.push(max_characters(DNS_LABEL_MAX_BYTES));
    }
    if !is_dns_label(value) || value.starts_with(|c: char| c.is_ascii_digit()) {
        errors.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start \
             with an alphabetic character, and end with an alphanumeric character (e.g. \
             'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    errors
}

/// A key of a ConfigMap or a Secret, which must be usable as a file name.
pub fn config_key_errors(key: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if key.len() > DNS_SUBDOMAIN_MAX_BYTES {
        errors.push(max_characters(DNS_SUBDOMAIN_MAX_BYTES));
    }
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    if key.is_empty() || !key.bytes().all(fits) {
        errors.push(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. \
             'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
             '[-._a-zA-Z0-9]+')"
                .to_owned(),
        );
    }
    match key {
        "." => errors.push("must not be '.'".to_owned()),
        ".." => errors.push("must not be '..'".to_owned()),
        _ if key.starts_with("..") => errors.push("must not start with '..'".to_owned()),
        _ => {}
    }
    errors
}

/// A path segment of a URL, as kinds and names in references must be.
pub fn path_segment_errors(name: &str) -> Vec<String> {
    if matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    ["/", "%"]
        .into_iter()
        .filter(|text| name.contains(text))
        .map(|text| format!("may not contain '{text}'"))
        .collect()
}

/// Of names, which are ASCII, the API server counts characters.
fn max_characters(count: usize) -> String {
    format!("must be no more than {count} characters")
}

fn max_length(bytes: usize) -> String {
    format!("must be no more than {bytes} bytes")
}

/// Alphanumeric at both ends, with `-`, `_` and `.` between.
fn is_label_name(value: &str) -> bool {
    let bytes = value.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    ends.into_iter()
        .all(|end| end.is_some_and(u8::is_ascii_alphanumeric))
        && bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

fn is_dns_label(value: &str) -> bool {
    let alphanumeric = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = value.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    ends.into_iter().all(|end| end.is_some_and(alphanumeric))
        && bytes.iter().all(|b| alphanumeric(b) || *b == b'-')
}

fn is_dns_subdomain(value: &str) -> bool {
    value.split('.').all(is_dns_label)
}
