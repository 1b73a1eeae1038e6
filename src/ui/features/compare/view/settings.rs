//! The settings of both sides: as names, as chips, and as the list of those that differ.

use yew::{Callback, Html, html};

use crate::ui::features::compare::{Compare, CompareAction};
use crate::ui::parts::icon::action;
use crate::ui::store::Action;
use crate::words::compare as words;
use berth_protocol::compare::{Origin, Side, Which};
use berth_protocol::scheduler::{PluginFrame, ProfileFrame};

/// A setting: its name, and its value in A and in B.
pub type Setting = (String, [String; 2]);

/// How a side is called.
pub fn name(side: &Side) -> String {
    if !side.name.is_empty() {
        return side.name.clone();
    }
    let mut parts: Vec<String> = Vec::new();
    match side.from {
        Origin::Manifests => {}
        Origin::FirstRun => parts.push(words::FIRST.to_owned()),
        Origin::Fork => parts.push(words::EDITED_RUN.to_owned()),
    }
    parts.extend(side.config.iter().map(|(name, _)| name.clone()));
    parts.extend(side.kubernetes.iter().map(|minor| format!("v{minor}")));
    let gates = side.feature_gates.iter();
    parts.extend(gates.map(|(name, on)| format!("{name}={on}")));
    let patches = side.patches.iter();
    parts.extend(patches.map(|(name, _)| words::patched(name)));
    parts.extend(side.without.iter().map(|it| words::without_nodes(it)));
    parts.extend(
        side.seed
            .map(|seed| format!("{} {seed}", words::SEED.get())),
    );
    match parts.is_empty() {
        true => words::AS_GIVEN.to_owned(),
        false => parts.join(crate::words::language::comma()),
    }
}

/// All settings that have another value in B.
pub fn differing(compare: &Compare) -> Vec<Setting> {
    let [a, b] = Which::BOTH.map(|which| all(compare, which));
    let mut names: Vec<&String> = a.iter().map(|(name, _)| name).collect();
    names.extend(
        b.iter()
            .map(|(name, _)| name)
            .filter(|name| a.iter().all(|(known, _)| known != *name)),
    );
    let value = |settings: &[(String, String)], name: &str| {
        let found = settings.iter().find(|(known, _)| known == name);
        found.map_or_else(|| "–".to_owned(), |(_, value)| value.clone())
    };
    let rows = names
        .into_iter()
        .map(|name| (name.clone(), [value(&a, name), value(&b, name)]));
    rows.filter(|(_, [a, b])| a != b).collect()
}

/// The settings of one side, by name.
fn all(compare: &Compare, which: Which) -> Vec<(String, String)> {
    let (side, view) = (compare.pairing.side(which), &compare.side(which).view);
    let mut all = vec![
        (words::KUBERNETES.to_owned(), view.head.release.full.clone()),
        (words::SEED.to_owned(), view.head.seed.to_string()),
    ];
    let gates = side.feature_gates.iter();
    all.extend(gates.map(|(name, on)| (name.clone(), on.to_string())));
    let patches = side.patches.iter();
    all.extend(patches.map(|(name, text)| (words::patched(name), text.clone())));
    let without = side.without.iter();
    all.extend(without.map(|labels| (words::without_nodes(labels), "✓".to_owned())));
    let is_first = side.first_on_ties.unwrap_or_default();
    if is_first {
        all.push((words::FIRST_BY_NAME.to_owned(), "✓".to_owned()));
    }
    let scheduler = &view.scheduler;
    all.push((
        crate::words::PERCENTAGE.to_owned(),
        scheduler.percentage.to_string(),
    ));
    for profile in &scheduler.profiles {
        all.extend(of_profile(profile, scheduler.profiles.len() > 1));
    }
    all
}

fn of_profile(profile: &ProfileFrame, named: bool) -> Vec<(String, String)> {
    let name = |setting: &str| match named {
        true => format!("{} · {setting}", profile.name),
        false => setting.to_owned(),
    };
    let resources = profile.resources.iter();
    let resources: Vec<String> = resources
        .map(|(name, weight)| format!("{name} × {weight}"))
        .collect();
    let mut all = vec![
        (name("schedulerName"), profile.name.clone()),
        (name("scoringStrategy"), profile.strategy.clone()),
        (name("resources"), resources.join(", ")),
        (name("defaultingType"), profile.defaulting.clone()),
        (name("…"), profile.rest.join(", ")),
    ];
    all.extend(
        profile
            .plugins
            .iter()
            .map(|plugin| (name(&plugin.name), state(plugin))),
    );
    all
}

/// Whether a plugin runs, and with which weight.
fn state(plugin: &PluginFrame) -> String {
    match (plugin.filter, plugin.score) {
        (_, Some(true)) => format!("× {}", plugin.weight),
        (Some(true), _) => "Filter".to_owned(),
        _ => words::OFF.to_owned(),
    }
}

/// The settings worth a chip, and whether each differs: the strategy and the weight of NodeResourcesFit, then all others
/// that differ.
pub fn chips(compare: &Compare, which: Which) -> Vec<(String, bool)> {
    let differing = differing(compare);
    let differs = |name: &str| differing.iter().any(|(known, _)| known == name);
    let scheduler = &compare.side(which).view.scheduler;
    let Some(profile) = scheduler.profiles.first() else {
        return Vec::new();
    };
    let mut chips = vec![(profile.strategy.clone(), differs("scoringStrategy"))];
    let scores = |plugin: &&PluginFrame| plugin.score.is_some();
    for plugin in profile.plugins.iter().filter(scores) {
        let is_fit = plugin.name == "NodeResourcesFit";
        let differs = differs(&plugin.name);
        if is_fit || differs {
            let short = plugin.name.trim_start_matches("NodeResources");
            let chip = match plugin.score {
                Some(true) => words::weight(short, plugin.weight),
                _ => words::off(short),
            };
            chips.push((chip, differs));
        }
    }
    chips.sort_by_key(|(_, differs)| !differs);
    chips
}

/// The settings that differ, as a table.
pub fn table(compare: &Compare, act: &Callback<Action>) -> Html {
    if !compare.shows_settings {
        return html! {};
    }
    let settings = differing(compare);
    let rows = settings.iter().map(|(name, [a, b])| {
        html! { <tr><th scope="row">{ name }</th><td><code>{ a }</code></td><td><code>{ b }</code></td></tr> }
    });
    let close = Action::Compare(CompareAction::Settings(false));
    html! {
        <section class="sect" data-settings="">
            <div class="sect__head"><h3>{ words::SETTINGS }</h3><span class="push" />{ action("close-settings", crate::words::CLOSE.get(), "close", false, act, close) }</div>
            <table class="tally tally--settings">
                <thead><tr><th scope="col">{ words::SETTING }</th><th scope="col">{ "A" }</th><th scope="col">{ "B" }</th></tr></thead>
                <tbody>{ for rows }</tbody>
            </table>
            if settings.len() > 1 { <p class="note">{ words::MANY_SETTINGS }</p> }
        </section>
    }
}
