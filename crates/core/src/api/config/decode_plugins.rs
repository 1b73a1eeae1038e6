//! `profiles[].plugins`.

use super::decode::{Decoder, Node};
use super::plugins::{EnabledPlugin, ExtensionPoint, PluginSet, Plugins};

pub(super) fn decode(decoder: &mut Decoder<'_>, node: Node<'_>) -> Plugins {
    let mut plugins = Plugins::default();
    let Some(mut fields) = decoder.object(&node, "Plugins") else {
        return plugins;
    };
    for point in ExtensionPoint::ALL {
        if let Some(node) = fields.take(point.field()) {
            *plugins.at_mut(point) = decode_set(decoder, node);
        }
    }
    if decoder.release.rules().has_placement_points {
        fields.ignore(&["placementGenerate", "placementScore"]);
    }
    if let Some(node) = fields.take("multiPoint") {
        plugins.multi_point = decode_set(decoder, node);
    }
    decoder.finish(fields);
    plugins
}

fn decode_set(decoder: &mut Decoder<'_>, node: Node<'_>) -> PluginSet {
    let mut set = PluginSet::default();
    let Some(mut fields) = decoder.object(&node, "PluginSet") else {
        return set;
    };
    if let Some(node) = fields.take("enabled") {
        set.enabled = decoder.list(&node, "v1.Plugin", decode_plugin);
    }
    if let Some(node) = fields.take("disabled") {
        let disabled = decoder.list(&node, "v1.Plugin", decode_plugin);
        set.disabled = disabled.into_iter().map(|plugin| plugin.name).collect();
    }
    decoder.finish(fields);
    set
}

fn decode_plugin(decoder: &mut Decoder<'_>, node: Node<'_>) -> Option<EnabledPlugin> {
    let mut fields = decoder.object(&node, "Plugin")?;
    let name = fields
        .take("name")
        .and_then(|node| decoder.string(&node))
        .unwrap_or_default();
    let weight = fields
        .take("weight")
        .and_then(|node| decoder.int32(&node))
        .unwrap_or(0);
    decoder.finish(fields);
    Some(EnabledPlugin { name, weight })
}
