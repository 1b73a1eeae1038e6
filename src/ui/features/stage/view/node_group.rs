//! A group: the nodes that share a value of the topology key.

use yew::{Html, classes, html};

use super::{Scene, dropping};
use crate::scene::{NodeGroup, piles};
use crate::ui::parts::owner;
use crate::words;

impl Scene<'_> {
    pub(super) fn node_group(&self, group: &NodeGroup, is_tall: bool, zones: usize) -> Html {
        let key = &self.store.stage.group_by;
        let is_open = group.value.is_none();
        let carried = self.store.stage.carried.as_ref();
        let is_goal = carried.is_some_and(|carried| Some(&carried.to) == group.value.as_ref());
        let name = group.value.clone().unwrap_or_else(|| words::without(key));
        let cards = match self.is_piled {
            true => self.pools(group),
            false => self.row(&group.nodes, 0).collect(),
        };
        html! {
            <section
                class={classes!(
                    "basin",
                    is_open.then_some("basin--open"),
                    is_tall.then_some("basin--tall"),
                    is_goal.then_some("basin--drop"),
                )}
                data-zone={group.value.clone().unwrap_or_default()}
                aria-label={name.clone()}
                ondragover={dropping::allow(key, group.value.as_deref())}
                ondragleave={dropping::leave()}
                ondrop={dropping::drop_on(self.store, group.value.as_deref(), self.act)}
            >
                <header class="basin__head">
                    <span class="basin__name clip" title={name.clone()}>{ name }</span>
                    <span class="basin__count">{ words::nodes(group.nodes.len()) }</span>
                    { for self.tally(group) }
                </header>
                <div class="basin__nodes">
                    { cards }
                    if is_open && zones > 0 {
                        <p class="basin__note">{ words::NO_LABEL }<code>{ format!(" {key}") }</code>{ words::language::full_stop() }{ words::NO_LABEL_MEANS }</p>
                    }
                </div>
            </section>
        }
    }

    /// The cards of these nodes; so many of the group stand before them.
    fn row(&self, nodes: &[usize], before: usize) -> impl Iterator<Item = Html> {
        let whole = self.store.stage.whole;
        let ranks = nodes.iter().zip(before..);
        ranks.filter_map(move |(position, rank)| self.card(*position, rank < whole))
    }

    /// The cards by pool, below the pool's name if there are several.
    /// Cold: kept out of the first download.
    #[inline(never)]
    fn pools(&self, group: &NodeGroup) -> Html {
        let pools = piles::by_pool(&self.store.view.nodes, group);
        let is_one = pools.len() < 2;
        let mut before = 0;
        let mut drawn: Vec<Html> = Vec::new();
        for (pool, nodes) in &pools {
            if !is_one {
                let name = pool.unwrap_or(words::NO_POOL.get());
                let key = format!("pool {name}");
                drawn.push(html! {
                    <h4 class="basin__pool" {key}><span class="clip" title={name.to_owned()}>{ name }</span>{ " " }<span class="basin__count">{ nodes.len() }</span></h4>
                });
            }
            drawn.extend(self.row(nodes, before));
            before += nodes.len();
        }
        drawn.into_iter().collect()
    }

    /// The number of Pods of the explained Pod's owner in the group, which a spread constraint counts.
    fn tally(&self, group: &NodeGroup) -> Option<Html> {
        let store = self.store;
        let pod = store.view.pod(&self.moment.cycle?.pod)?;
        let owner = owner::name(pod);
        let nodes = group
            .nodes
            .iter()
            .filter_map(|position| store.view.nodes.get(*position));
        let pods = nodes.flat_map(|node| &node.pods);
        let count = pods
            .filter_map(|key| store.view.pod(key))
            .filter(|other| owner::name(other) == owner)
            .count();
        let tally = words::tally(count, &owner);
        Some(html! {
            <span class="basin__count basin__tally" title={tally.clone()}>
                <i class={classes!("flag", self.owners.class(pod))} />
                <span aria-hidden="true">{ count }</span>
                <span class="visually-hidden">{ tally }</span>
            </span>
        })
    }
}
