//! Endpoints and EndpointSlices.

use serde_json::Value;

use super::{Table, age, columns, name};
use crate::printers::fields::Fields;

/// Maximum addresses or ports that a cell shows.
const SHOWN: usize = 3;

pub(super) const ENDPOINTS: Table = Table {
    columns: columns!["NAME" "ENDPOINTS" "AGE"],
    row: |endpoints, now_ms| {
        vec![
            name(endpoints),
            addresses(endpoints),
            age(endpoints, now_ms),
        ]
    },
};

pub(super) const SLICE: Table = Table {
    columns: columns!["NAME" "ADDRESSTYPE" "PORTS" "ENDPOINTS" "AGE"],
    row: |slice, now_ms| {
        let ports = slice.items("ports").iter().map(|port| {
            if port.has("port") {
                port.int("port").to_string()
            } else if port.has("name") {
                port.text("name").to_owned()
            } else {
                "*".to_owned()
            }
        });
        let addresses = slice
            .items("endpoints")
            .iter()
            .flat_map(|it| it.items("addresses"))
            .map(|it| it.as_str().unwrap_or_default().to_owned());
        vec![
            name(slice),
            slice.text("addressType").to_owned(),
            or_unset(shortened(ports.collect())),
            or_unset(shortened(addresses.collect())),
            age(slice, now_ms),
        ]
    },
};

fn or_unset(text: String) -> String {
    if text.is_empty() {
        "<unset>".to_owned()
    } else {
        text
    }
}

/// `10.0.0.1:80,10.0.0.2:80`: each ready address with each port.
fn addresses(endpoints: &Value) -> String {
    let subsets = endpoints.items("subsets");
    if subsets.is_empty() {
        return "<none>".to_owned();
    }
    let mut all = Vec::new();
    for subset in subsets {
        let ips: Vec<&str> = subset
            .items("addresses")
            .iter()
            .map(|address| address.text("ip"))
            .collect();
        let ports = subset.items("ports");
        if ports.is_empty() {
            all.extend(ips.iter().map(|ip| (*ip).to_owned()));
        }
        for port in ports {
            all.extend(ips.iter().map(|ip| with_port(ip, port.int("port"))));
        }
    }
    shortened(all)
}

/// An IPv6 address is enclosed in brackets before its port.
pub(crate) fn with_port(ip: &str, port: i64) -> String {
    if ip.contains(':') {
        format!("[{ip}]:{port}")
    } else {
        format!("{ip}:{port}")
    }
}

/// The first texts, and the number of further ones.
pub(crate) fn shortened(texts: Vec<String>) -> String {
    let more = texts.len().saturating_sub(SHOWN);
    let shown = texts.get(..SHOWN).unwrap_or(&texts).join(",");
    if more > 0 {
        format!("{shown} + {more} more...")
    } else {
        shown
    }
}
