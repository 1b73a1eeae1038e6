//! IP addresses, CIDR blocks and URLs.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::eval::{Evaluated, error, text_map};
use super::value::Value;

/// A parsed URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    scheme: String,
    host: String,
    path: String,
    query: String,
}

impl Url {
    /// Parses an absolute URL or an absolute path (`url.ParseRequestURI`).
    fn parse(text: &str) -> Option<Url> {
        if text.is_empty()
            || text
                .chars()
                .any(|letter| letter.is_control() || letter == ' ')
        {
            return None;
        }
        let (rest, query) = text.split_once('?').unwrap_or((text, ""));
        let mut url = Url {
            query: query.to_owned(),
            ..Url::default()
        };
        if rest.starts_with('/') {
            rest.clone_into(&mut url.path);
            return Some(url);
        }
        let (scheme, rest) = rest.split_once(':')?;
        let mut letters = scheme.chars();
        let is_scheme = letters.next().is_some_and(|it| it.is_ascii_alphabetic())
            && letters.all(|it| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.'));
        if !is_scheme {
            return None;
        }
        url.scheme = scheme.to_ascii_lowercase();
        match rest.strip_prefix("//") {
            Some(rest) => {
                let slash = rest.find('/').unwrap_or(rest.len());
                let (authority, path) = rest.split_at(slash);
                let host = authority
                    .rsplit_once('@')
                    .map_or(authority, |(_, host)| host);
                let port = host
                    .rsplit_once(':')
                    .filter(|(name, _)| !name.starts_with('[') || name.ends_with(']'));
                if port.is_some_and(|(_, port)| !port.chars().all(|it| it.is_ascii_digit())) {
                    return None;
                }
                host.clone_into(&mut url.host);
                path.clone_into(&mut url.path);
            }
            None => rest.clone_into(&mut url.path),
        }
        Some(url)
    }

    fn hostname(&self) -> &str {
        if let Some(rest) = self.host.strip_prefix('[') {
            return rest.split_once(']').map_or(rest, |(name, _)| name);
        }
        self.host
            .split_once(':')
            .map_or(&self.host, |(name, _)| name)
    }

    fn port(&self) -> &str {
        let after = self
            .host
            .rsplit_once(']')
            .map_or(&*self.host, |(_, after)| after);
        after.rsplit_once(':').map_or("", |(_, port)| port)
    }

    fn query(&self) -> Value {
        let mut all: BTreeMap<Arc<str>, Vec<Value>> = BTreeMap::new();
        for pair in self.query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(key), Some(value)) = (unescaped(key), unescaped(value)) else {
                continue;
            };
            all.entry(Arc::from(key))
                .or_default()
                .push(Value::string(&value));
        }
        let lists = all.into_iter().map(|(key, list)| (key, Value::list(list)));
        text_map(lists.collect(), None)
    }
}

fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}

fn parse_ip(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text
        .parse()
        .map_err(|_| format!("IP Address \"{text}\" parse error during conversion from string: ParseAddr(\"{text}\"): unable to parse IP"))?;
    if let IpAddr::V6(v6) = address
        && v6.to_ipv4_mapped().is_some()
    {
        return Err(format!(
            "IPv4-mapped IPv6 address \"{text}\" is not allowed"
        ));
    }
    Ok(address)
}

fn bits_of(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(v4) => (u128::from(u32::from(v4)) << 96, 32),
        IpAddr::V6(v6) => (u128::from(v6), 128),
    }
}

fn parse_cidr(text: &str) -> Result<(IpAddr, u8), String> {
    let wrong = || {
        format!(
            "network address parse error during conversion from string: netip.ParsePrefix(\"{text}\"): bad prefix"
        )
    };
    let (address, bits) = text.split_once('/').ok_or_else(wrong)?;
    let address = parse_ip(address).map_err(|_| wrong())?;
    let plain = !bits.is_empty()
        && bits.chars().all(|digit| digit.is_ascii_digit())
        && (bits == "0" || !bits.starts_with('0'));
    let length: u8 = bits.parse().map_err(|_| wrong())?;
    if !plain || length > bits_of(address).1 {
        return Err(wrong());
    }
    Ok((address, length))
}

fn masked(address: IpAddr, length: u8) -> IpAddr {
    let (bits, _) = bits_of(address);
    let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
    let kept = bits & mask;
    match address {
        IpAddr::V4(_) => IpAddr::V4(u32::try_from(kept >> 96).unwrap_or(0).into()),
        IpAddr::V6(_) => IpAddr::V6(kept.into()),
    }
}

fn contains(block: (IpAddr, u8), address: IpAddr) -> bool {
    block.0.is_ipv4() == address.is_ipv4() && masked(block.0, block.1) == masked(address, block.1)
}

/// Calls a function over addresses, blocks or URLs; `None` if it is none of them.
pub fn call(function: &str, values: &[Value]) -> Option<Evaluated> {
    let text = |text: &str| Ok(Value::string(text));
    let result = match (function, values) {
        ("url", [Value::String(given)]) => match Url::parse(given) {
            Some(url) => Ok(Value::Url(Arc::new(url))),
            None => Err(error(format!(
                "URL parse error during conversion from string: parse \"{given}\": invalid URI for request"
            ))),
        },
        ("isURL", [Value::String(given)]) => Ok(Value::Bool(Url::parse(given).is_some())),
        ("getScheme", [Value::Url(url)]) => text(&url.scheme),
        ("getHost", [Value::Url(url)]) => text(&url.host),
        ("getHostname", [Value::Url(url)]) => text(url.hostname()),
        ("getPort", [Value::Url(url)]) => text(url.port()),
        ("getEscapedPath", [Value::Url(url)]) => text(&url.path),
        ("getQuery", [Value::Url(url)]) => Ok(url.query()),
        ("ip", [Value::String(given)]) => parse_ip(given).map(Value::Ip).map_err(error),
        ("ip", [Value::Cidr(address, _)]) => Ok(Value::Ip(*address)),
        ("isIP", [Value::String(given)]) => Ok(Value::Bool(parse_ip(given).is_ok())),
        ("ip.isCanonical", [Value::String(given)]) => parse_ip(given)
            .map(|address| Value::Bool(address.to_string() == **given))
            .map_err(error),
        ("family", [Value::Ip(address)]) => Ok(Value::Int(if address.is_ipv4() { 4 } else { 6 })),
        (
            "isUnspecified"
            | "isLoopback"
            | "isLinkLocalMulticast"
            | "isLinkLocalUnicast"
            | "isGlobalUnicast",
            [Value::Ip(address)],
        ) => Ok(Value::Bool(is(function, *address))),
        ("cidr", [Value::String(given)]) => parse_cidr(given)
            .map(|(address, bits)| Value::Cidr(address, bits))
            .map_err(error),
        ("isCIDR", [Value::String(given)]) => Ok(Value::Bool(parse_cidr(given).is_ok())),
        ("masked", [Value::Cidr(address, bits)]) => Ok(Value::Cidr(masked(*address, *bits), *bits)),
        ("prefixLength", [Value::Cidr(_, bits)]) => Ok(Value::Int(i64::from(*bits))),
        ("containsIP", [Value::Cidr(address, bits), other]) => {
            let other = match other {
                Value::Ip(other) => Ok(*other),
                Value::String(given) => parse_ip(given),
                _ => return None,
            };
            other
                .map(|other| Value::Bool(contains((*address, *bits), other)))
                .map_err(error)
        }
        ("containsCIDR", [Value::Cidr(address, bits), other]) => {
            let other = match other {
                Value::Cidr(other, length) => Ok((*other, *length)),
                Value::String(given) => parse_cidr(given),
                _ => return None,
            };
            other
                .map(|(other, length)| {
                    Value::Bool(length >= *bits && contains((*address, *bits), other))
                })
                .map_err(error)
        }
        _ => return None,
    };
    Some(result)
}

fn is(function: &str, address: IpAddr) -> bool {
    let link_local = match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => (v6.segments()[0] & 0xffc0) == 0xfe80,
    };
    match function {
        "isUnspecified" => address.is_unspecified(),
        "isLoopback" => address.is_loopback(),
        "isLinkLocalUnicast" => link_local,
        "isLinkLocalMulticast" => match address {
            IpAddr::V4(v4) => v4.octets()[..3] == [224, 0, 0],
            IpAddr::V6(v6) => (v6.segments()[0] & 0xff0f) == 0xff02,
        },
        _ => {
            !address.is_unspecified()
                && !address.is_loopback()
                && !address.is_multicast()
                && !link_local
                && address != IpAddr::V4(std::net::Ipv4Addr::BROADCAST)
        }
    }
}
