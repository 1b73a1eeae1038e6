//! Endpoints and EndpointSlices.

use serde_json::Value;

use super::page::Page;
use super::{Context, parts};
use crate::printers::fields::{Fields, or_none, scalar};

pub(super) fn endpoints(page: &mut Page, endpoints: &Value, _: &Context<'_>) {
    parts::head(page, endpoints);
    page.line(0, "Subsets:");
    for subset in endpoints.items("subsets") {
        for (name, field) in [
            ("Addresses", "addresses"),
            ("NotReadyAddresses", "notReadyAddresses"),
        ] {
            let ips: Vec<&str> = subset
                .items(field)
                .iter()
                .map(|address| address.text("ip"))
                .collect();
            page.field(1, name, or_none(ips.join(",")));
        }
        let ports = subset.items("ports");
        if !ports.is_empty() {
            page.line(1, "Ports:");
            table(page, 2, ports);
        }
        page.line(0, "");
    }
}

pub(super) fn endpoint_slice(page: &mut Page, slice: &Value, _: &Context<'_>) {
    parts::head(page, slice);
    page.field(0, "AddressType", slice.text("addressType"));
    let ports = slice.items("ports");
    if ports.is_empty() {
        page.line(0, "Ports: <unset>");
    } else {
        page.line(0, "Ports:");
        table(page, 1, ports);
    }
    let endpoints = slice.items("endpoints");
    if endpoints.is_empty() {
        page.line(0, "Endpoints: <none>");
        return;
    }
    page.line(0, "Endpoints:");
    for endpoint in endpoints {
        let addresses: Vec<String> = endpoint.items("addresses").iter().map(scalar).collect();
        page.field(1, "- Addresses", or_none(addresses.join(", ")));
        page.line(2, "Conditions:");
        let ready = endpoint.at("conditions.ready");
        page.field(3, "Ready", parts::or_unset(ready));
        let hostname = endpoint.at("hostname");
        page.field(2, "Hostname", parts::or_unset(hostname));
        let target = endpoint.at("targetRef");
        if !target.is_null() {
            let target = format!("{}/{}", target.text("kind"), target.text("name"));
            page.field(2, "TargetRef", target);
        }
        page.field(2, "NodeName", parts::or_unset(endpoint.at("nodeName")));
        page.field(2, "Zone", parts::or_unset(endpoint.at("zone")));
    }
}

fn table(page: &mut Page, depth: usize, ports: &[Value]) {
    page.line(depth, "Name\tPort\tProtocol");
    page.line(depth, "----\t----\t--------");
    for port in ports {
        let (name, number) = (port.at("name"), port.at("port"));
        let (name, number) = (parts::or_unset(name), parts::or_unset(number));
        page.line(
            depth,
            format!("{name}\t{number}\t{}", port.text("protocol")),
        );
    }
}
