//! Resolves a profile's `plugins` to the plugins of each extension point.
//!
//! Mirrors kube-scheduler: the default `multiPoint` set of the release, the merge of a profile's sets into
//! it (`mergePluginSet`), and the expansion of `multiPoint` to the extension points
//! (`expandMultiPointPlugins`).

mod defaults;

use std::collections::BTreeSet;
use std::fmt;

use crate::config::plugins::{EnabledPlugin, PluginSet, Plugins};
use crate::config::{Profile, SchedulerConfiguration};
use crate::field::{Path, quote};
use crate::release::Release;
use berth_base::sort;

pub use crate::config::ExtensionPoint;
pub use defaults::{default_multi_point, merge_plugin_set};

/// The highest score of a node.
const MAX_NODE_SCORE: i64 = 100;

/// A set of extension points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtensionPoints(u16);

impl ExtensionPoints {
    /// The set of the given points.
    pub const fn of(points: &[ExtensionPoint]) -> Self {
        let mut bits = 0;
        let mut rest = points;
        while let [point, tail @ ..] = rest {
            bits |= 1 << *point as u16;
            rest = tail;
        }
        Self(bits)
    }

    /// The set with `point` added, if it is given.
    pub const fn with(self, point: Option<ExtensionPoint>) -> Self {
        match point {
            Some(point) => Self(self.0 | 1 << point as u16),
            None => self,
        }
    }

    /// The set without `point`.
    pub const fn without(self, point: ExtensionPoint) -> Self {
        Self(self.0 & !(1 << point as u16))
    }

    /// Whether `point` is in the set.
    pub const fn contains(self, point: ExtensionPoint) -> bool {
        self.0 & (1 << point as u16) != 0
    }
}

/// The capabilities of a registered plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginCapabilities {
    pub name: &'static str,
    /// The extension points that it implements.
    pub points: ExtensionPoints,
}

impl PluginCapabilities {
    /// What the plugin can do in a release; `None` if the release has no such plugin.
    pub fn of_release(self, release: &Release) -> Option<Self> {
        let points = match release.plugin(self.name)?.may_score {
            true => self.points,
            false => self.points.without(ExtensionPoint::Score),
        };
        Some(Self { points, ..self })
    }
}

/// A profile with its plugins in call order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResolvedProfile {
    pub scheduler_name: String,
    /// Overrides the value of the configuration.
    pub percentage_of_nodes_to_score: Option<i32>,
    pub pre_enqueue: Vec<&'static str>,
    pub queue_sort: &'static str,
    pub pre_filter: Vec<&'static str>,
    pub filter: Vec<&'static str>,
    pub post_filter: Vec<&'static str>,
    pub pre_score: Vec<&'static str>,
    /// With weights.
    pub score: Vec<(&'static str, i64)>,
    pub reserve: Vec<&'static str>,
    pub pre_bind: Vec<&'static str>,
    pub bind: Vec<&'static str>,
}

/// A reason why kube-scheduler would not start with a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError {
    /// The field of the configuration: `profiles[0].plugins.filter.enabled[1]`.
    pub path: String,
    /// kube-scheduler's message.
    pub message: String,
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Resolves every profile; invalid ones are left out and reported.
pub fn resolve_all(
    configuration: &SchedulerConfiguration,
    release: &Release,
    registry: &[PluginCapabilities],
) -> (Vec<ResolvedProfile>, Vec<ProfileError>) {
    let mut resolved: Vec<ResolvedProfile> = Vec::new();
    let mut errors = Vec::new();
    for (i, profile) in configuration.profiles.iter().enumerate() {
        let path = Path::root().child("profiles").index(i);
        let name = &profile.scheduler_name;
        let result = resolve(profile, &path, release, registry).map_err(|mut error| {
            error.message = format!(
                "creating profile for scheduler name {name}: {}",
                error.message
            );
            error
        });
        match result.and_then(|profile| check_queue_sort(profile, resolved.first(), &path)) {
            Ok(profile) => resolved.push(profile),
            Err(error) => errors.push(error),
        }
    }
    (resolved, errors)
}

/// All profiles share one queue, so they must use the same queue sort plugin.
fn check_queue_sort(
    profile: ResolvedProfile,
    first: Option<&ResolvedProfile>,
    path: &Path,
) -> Result<ResolvedProfile, ProfileError> {
    match first {
        Some(first) if first.queue_sort != profile.queue_sort => Err(error(
            &path.child("plugins").child("queueSort"),
            format!(
                "different queue sort plugins for profile {}: {}, first: {}",
                quote(&profile.scheduler_name),
                quote(profile.queue_sort),
                quote(first.queue_sort)
            ),
        )),
        _ => Ok(profile),
    }
}

/// Resolves one profile; `path` is its place in the configuration.
pub fn resolve(
    profile: &Profile,
    path: &Path,
    release: &Release,
    registry: &[PluginCapabilities],
) -> Result<ResolvedProfile, ProfileError> {
    let defaults = default_multi_point(release);
    let multi_point = merge_plugin_set(&defaults, &profile.plugins.multi_point);
    let registry: Vec<PluginCapabilities> = registry
        .iter()
        .filter_map(|plugin| plugin.of_release(release))
        .collect();
    let resolver = Resolver {
        plugins: &profile.plugins,
        multi_point: &multi_point,
        path: path.child("plugins"),
        registry: &registry,
    };
    for point in ExtensionPoint::ALL {
        resolver.check_specific(point)?;
    }
    let mut lists: [Vec<&'static str>; 12] = Default::default();
    for (list, point) in lists.iter_mut().zip(ExtensionPoint::ALL) {
        *list = resolver.expand(point)?;
    }
    // In the order of `ExtensionPoint::ALL`.
    let [
        pre_filter,
        filter,
        post_filter,
        reserve,
        pre_score,
        score,
        pre_bind,
        bind,
        _post_bind,
        _permit,
        pre_enqueue,
        queue_sort,
    ] = lists;
    Ok(ResolvedProfile {
        scheduler_name: profile.scheduler_name.clone(),
        percentage_of_nodes_to_score: profile.percentage_of_nodes_to_score,
        queue_sort: resolver.only_queue_sort(profile, &queue_sort)?,
        bind: resolver.some_bind(profile, bind)?,
        score: resolver.weigh(score)?,
        pre_enqueue,
        pre_filter,
        filter,
        post_filter,
        pre_score,
        reserve,
        pre_bind,
    })
}

fn error(path: &Path, message: String) -> ProfileError {
    ProfileError {
        path: path.as_str().to_owned(),
        message,
    }
}

/// The inputs for resolving one profile.
struct Resolver<'a> {
    /// The profile's own sets. The sets of single extension points have no defaults to merge with.
    plugins: &'a Plugins,
    /// The profile's `multiPoint` set merged with the defaults.
    multi_point: &'a PluginSet,
    /// The path of `plugins`.
    path: Path,
    registry: &'a [PluginCapabilities],
}

impl Resolver<'_> {
    fn find(&self, name: &str) -> Option<&PluginCapabilities> {
        self.registry.iter().find(|plugin| plugin.name == name)
    }

    /// Validates the plugins enabled at one point by that point's own set.
    fn check_specific(&self, point: ExtensionPoint) -> Result<(), ProfileError> {
        let mut seen = BTreeSet::new();
        let path = self.path.child(point.field()).child("enabled");
        let interface = point.interface();
        for (i, EnabledPlugin { name, .. }) in self.plugins.at(point).enabled.iter().enumerate() {
            let message = match self.find(name) {
                None => format!("{interface} {} does not exist", quote(name)),
                Some(plugin) if !plugin.points.contains(point) => {
                    format!("plugin {} does not extend {interface} plugin", quote(name))
                }
                Some(_) if !seen.insert(name.as_str()) => {
                    format!(
                        "plugin {} already registered as \"{interface}\"",
                        quote(name)
                    )
                }
                Some(_) => continue,
            };
            return Err(error(&path.index(i), message));
        }
        Ok(())
    }

    /// The plugins of one extension point, in order: those of its own set that `multiPoint` enables
    /// too, then the rest of `multiPoint`, then the rest of its own set.
    fn expand(&self, point: ExtensionPoint) -> Result<Vec<&'static str>, ProfileError> {
        let own = self.plugins.at(point);
        let own_names: Vec<&'static str> = own
            .enabled
            .iter()
            .filter_map(|plugin| self.find(&plugin.name))
            .map(|plugin| plugin.name)
            .collect();
        if own.disables_all() || self.multi_point.enabled.is_empty() {
            return Ok(own_names);
        }
        let disabled: BTreeSet<&str> = sort::gather(own.disabled.iter().map(String::as_str));
        let mut overriding = BTreeSet::new();
        let mut spread = Vec::new();
        for EnabledPlugin { name, .. } in &self.multi_point.enabled {
            let Some(plugin) = self.find(name) else {
                let message = format!("{} {} does not exist", point.interface(), quote(name));
                return Err(error(&self.multi_point_path(name), message));
            };
            if !plugin.points.contains(point) || disabled.contains(name.as_str()) {
                continue;
            }
            if own_names.contains(&plugin.name) {
                overriding.insert(plugin.name);
            } else if spread.contains(&plugin.name) {
                let interface = point.interface();
                let message = format!(
                    "plugin {} already registered as \"{interface}\"",
                    quote(name)
                );
                return Err(error(&self.multi_point_path(name), message));
            } else {
                spread.push(plugin.name);
            }
        }
        let (first, last): (Vec<_>, Vec<_>) = own_names
            .into_iter()
            .partition(|name| overriding.contains(name));
        Ok([first, spread, last].concat())
    }

    /// Sets the weight of each Score plugin: from the point's own set, else from `multiPoint`; 0 means 1.
    fn weigh(&self, names: Vec<&'static str>) -> Result<Vec<(&'static str, i64)>, ProfileError> {
        let own = &self.plugins.at(ExtensionPoint::Score).enabled;
        let mut seen = BTreeSet::new();
        let mut total: i64 = 0;
        let mut weights = Vec::new();
        for plugin in own.iter().chain(&self.multi_point.enabled) {
            let scores = self
                .find(&plugin.name)
                .is_some_and(|p| p.points.contains(ExtensionPoint::Score));
            if !scores || !seen.insert(plugin.name.as_str()) {
                continue;
            }
            let weight = if plugin.weight == 0 {
                1
            } else {
                i64::from(plugin.weight)
            };
            // kube-scheduler's check wraps around, so it rejects negative weights too.
            if weight * MAX_NODE_SCORE > i64::MAX.wrapping_sub(total) {
                let message = "total score of Score plugins could overflow".to_owned();
                return Err(error(&self.path.child("score"), message));
            }
            total += weight * MAX_NODE_SCORE;
            weights.push((plugin.name.as_str(), weight));
        }
        let weight = |name: &str| {
            weights
                .iter()
                .find(|(n, _)| *n == name)
                .map_or(1, |(_, w)| *w)
        };
        Ok(names.into_iter().map(|name| (name, weight(name))).collect())
    }

    /// The last entry of the profile's own `multiPoint` with that name.
    fn multi_point_path(&self, name: &str) -> Path {
        let path = self.path.child("multiPoint");
        let own = &self.plugins.multi_point.enabled;
        match own.iter().rposition(|plugin| plugin.name == name) {
            Some(i) => path.child("enabled").index(i),
            None => path,
        }
    }

    fn only_queue_sort(
        &self,
        profile: &Profile,
        plugins: &[&'static str],
    ) -> Result<&'static str, ProfileError> {
        if let [only] = plugins {
            return Ok(only);
        }
        let (name, count) = (quote(&profile.scheduler_name), plugins.len());
        let message = format!(
            "only one queue sort plugin required for profile with scheduler name {name}, but got {count}"
        );
        Err(error(&self.path.child("queueSort"), message))
    }

    fn some_bind(
        &self,
        profile: &Profile,
        plugins: Vec<&'static str>,
    ) -> Result<Vec<&'static str>, ProfileError> {
        if !plugins.is_empty() {
            return Ok(plugins);
        }
        let name = quote(&profile.scheduler_name);
        let message =
            format!("at least one bind plugin is needed for profile with scheduler name {name}");
        Err(error(&self.path.child("bind"), message))
    }
}
