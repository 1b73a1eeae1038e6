//! Formats of texts (apimachinery `util/validation`), each with what is wrong with a text.

use std::net::IpAddr;

use berth_scheduler::names::{
    config_key_errors, dns_1035_label_errors, dns_label_errors, dns_subdomain_errors,
    label_key_errors,
};

/// What is wrong with a text.
pub(crate) type Format = fn(&str) -> Vec<String>;

/// A format by its name in the table.
pub(super) fn of(name: &str) -> Option<Format> {
    Some(match name {
        "label" => dns_label_errors,
        "label-1035" => dns_1035_label_errors,
        "subdomain" => dns_subdomain_errors,
        // A dash may end what a name begins with.
        "subdomain-prefix" => |name| match name.strip_suffix('-') {
            Some(stem) => dns_subdomain_errors(&format!("{stem}a")),
            None => dns_subdomain_errors(name),
        },
        "qualified" => label_key_errors,
        "config-key" => config_key_errors,
        "env-name" => env_name,
        "ip" => ip,
        "relative" => relative,
        "no-backsteps" => no_backsteps,
        "unreserved" => unreserved,
        "driver" => driver,
        "port-name" => port_name,
        "lower-qualified" => |name| label_key_errors(&name.to_lowercase()),
        _ => return None,
    })
}

fn one(is_wrong: bool, detail: &str) -> Vec<String> {
    match is_wrong {
        true => vec![detail.to_owned()],
        false => Vec::new(),
    }
}

/// `IsRelaxedEnvVarName`.
fn env_name(name: &str) -> Vec<String> {
    if name.is_empty() {
        return vec!["environment variable name must be non-empty".to_owned()];
    }
    let is_wrong = name.chars().any(|c| !matches!(c, ' '..='~') || c == '=');
    one(
        is_wrong,
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
    )
}

/// `IsValidIPForLegacyField`, strict: no leading zeros, no IPv4 address within an IPv6 one.
pub(super) fn ip(text: &str) -> Vec<String> {
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) => one(
            address.to_ipv4_mapped().is_some(),
            "must not be an IPv4-mapped IPv6 address",
        ),
        Ok(IpAddr::V4(_)) => Vec::new(),
        Err(_) if is_padded(text) => vec!["must not have leading 0s".to_owned()],
        Err(_) => vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()],
    }
}

/// Whether an IPv4 address is valid but for leading zeros.
fn is_padded(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let is_byte = |part: &&str| {
        !part.is_empty()
            && part.bytes().all(|digit| digit.is_ascii_digit())
            && part.parse::<u64>().is_ok_and(|number| number < 256)
    };
    parts.len() == 4 && parts.iter().all(is_byte)
}

/// `IsValidCIDRForLegacyField`, strict: no leading zeros, no bits beyond the prefix.
pub(super) fn cidr(text: &str) -> Vec<String> {
    const INVALID: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
    let parsed = text.split_once('/').and_then(|(address, length)| {
        let bits = length.parse::<u32>().ok()?;
        Some((address, address.parse::<IpAddr>().ok(), length, bits))
    });
    let Some((address, parsed, length, bits)) = parsed else {
        return vec![INVALID.to_owned()];
    };
    let is_long = length.len() > 1 && length.starts_with('0');
    let Some(parsed) = parsed else {
        return match is_padded(address) && bits <= 32 {
            true => vec!["must not have leading 0s in IP or prefix length".to_owned()],
            false => vec![INVALID.to_owned()],
        };
    };
    let (number, width) = match parsed {
        IpAddr::V4(four) => (u128::from(u32::from(four)), 32),
        IpAddr::V6(six) => (u128::from(six), 128),
    };
    if bits > width {
        return vec![INVALID.to_owned()];
    }
    if is_long {
        return vec!["must not have leading 0s in IP or prefix length".to_owned()];
    }
    if matches!(parsed, IpAddr::V6(six) if six.to_ipv4_mapped().is_some()) {
        return vec!["must not have an IPv4-mapped IPv6 address".to_owned()];
    }
    let host_bits = width - bits;
    let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
    one(
        number & !mask != 0 && host_bits > 0,
        "must not have bits set beyond the prefix length",
    )
}

/// `IsDNS1123SubdomainWithUnderscore`.
pub(super) fn underscored(name: &str) -> Vec<String> {
    const LONGEST: usize = 253;
    let mut found = one(name.len() > LONGEST, "must be no more than 253 characters");
    let is_end = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let is_label = |part: &str| {
        let part = part.strip_prefix('_').unwrap_or(part).as_bytes();
        part.first().is_some_and(|b| is_end(*b))
            && part.last().is_some_and(|b| is_end(*b))
            && part.iter().all(|b| is_end(*b) || matches!(b, b'-' | b'_'))
    };
    let is_wrong = !name.split('.').all(is_label);
    found.extend(one(
        is_wrong,
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
    ));
    found
}

/// `validateLocalDescendingPath`.
pub(super) fn relative(path: &str) -> Vec<String> {
    let mut found = one(path.starts_with('/'), "must be a relative path");
    found.extend(no_backsteps(path));
    found
}

/// `validatePathNoBacksteps`.
pub(super) fn no_backsteps(path: &str) -> Vec<String> {
    let is_wrong = path.split('/').any(|part| part == "..");
    one(is_wrong, "must not contain '..'")
}

/// `ValidateLocalNonReservedPath`.
pub(super) fn unreserved(path: &str) -> Vec<String> {
    let mut found = relative(path);
    if path.starts_with("..") && !path.starts_with("../") {
        found.push("must not start with '..'".to_owned());
    }
    found
}

/// `ValidateCSIDriverName`, without its length.
fn driver(name: &str) -> Vec<String> {
    dns_subdomain_errors(&name.to_lowercase())
}

fn port_name(name: &str) -> Vec<String> {
    crate::api::validation::pod::port_name_errors(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_strictly() {
        assert!(ip("10.0.0.1").is_empty() && ip("2001:db8::1").is_empty());
        assert_eq!(ip("10.0.0.01"), ["must not have leading 0s"]);
        assert_eq!(
            ip("::ffff:1.2.3.4"),
            ["must not be an IPv4-mapped IPv6 address"]
        );
        assert!(ip("")[0].starts_with("must be a valid IP address"));
    }

    #[test]
    fn paths_do_not_leave_their_folder() {
        assert_eq!(relative("/a/../b").len(), 2);
        assert_eq!(unreserved("..a"), ["must not start with '..'"]);
        assert!(unreserved("a/b..").is_empty());
    }
}
