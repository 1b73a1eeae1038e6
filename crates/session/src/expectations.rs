//! The expectations of a scenario, checked against the current moment.

mod asked;
mod moment;
mod nodes;
mod objects;
mod past;

use berth_core::api::object::Manifest;
use berth_core::api::scenario::Expectation;
use berth_core::api::yaml::Target;
use berth_protocol::expectation::Outcome;
use berth_protocol::lesson::GoalValue;
use berth_protocol::remark::Remark;

use super::Session;
pub(crate) use asked::asked;
use moment::Moment;

impl Session {
    /// Whether the sources have expectations.
    pub fn has_expectations(&self) -> bool {
        self.expected().next().is_some()
    }

    /// Every expectation of the sources, checked against this moment. Expectations of a run's end may be unmet before.
    pub fn expectations(&self) -> Vec<Outcome> {
        let moment = Moment::now(self);
        let outcomes = self.expected().enumerate();
        let outcomes = outcomes.map(|(index, (document, number, expectation))| {
            let loaded = &self.manifests().loaded;
            let source = loaded
                .documents
                .get(document)
                .map(|document| &document.source);
            let path = format!("expectations[{number}]");
            let position = source.map(|source| loaded.position(source, &path, Target::Value));
            let file = source.and_then(|source| loaded.files.get(source.file));
            Outcome {
                index,
                file: file.map(|file| file.name.clone()).unwrap_or_default(),
                line: position.map_or(1, |position| position.line),
                column: position.map_or(1, |position| position.column),
                ..self.outcome(&moment, expectation)
            }
        });
        outcomes.collect()
    }

    /// These expectations, not those of a file, checked against this moment.
    pub fn check(&self, expectations: &[Expectation]) -> Vec<Outcome> {
        let moment = Moment::now(self);
        let outcomes = expectations
            .iter()
            .enumerate()
            .map(|(index, expectation)| Outcome {
                index,
                ..self.outcome(&moment, expectation)
            });
        outcomes.collect()
    }

    /// What each of these expectations counts at this moment.
    pub(crate) fn counted(&self, expectations: &[Expectation]) -> Vec<Option<GoalValue>> {
        let moment = Moment::now(self);
        let counted = expectations.iter().map(|it| moment.counted(it));
        counted.collect()
    }

    /// An object at this moment, by `Kind/name` or `Kind/namespace/name`.
    pub(crate) fn object(&self, name: &str) -> Option<serde_json::Value> {
        Moment::now(self).object(name)
    }

    fn outcome(&self, moment: &Moment, expectation: &Expectation) -> Outcome {
        let why = self.why_unmet(moment, expectation);
        Outcome {
            index: 0,
            expected: asked(expectation),
            met: why.is_none(),
            why: why.unwrap_or_default(),
            file: String::new(),
            line: 1,
            column: 1,
        }
    }

    /// Why the expectation is not met; `None` if it is.
    fn why_unmet(&self, moment: &Moment, expectation: &Expectation) -> Option<Remark> {
        if let Some(others) = &expectation.one_of {
            let whys = others.iter().map(|other| self.why_unmet(moment, other));
            let whys: Option<Vec<Remark>> = whys.collect();
            let mut whys = whys?;
            whys.dedup();
            return whys.into_iter().reduce(Remark::neither);
        }
        let now = moment.check(expectation);
        if now.is_some() || expectation.is_plain() {
            return now;
        }
        self.why_not_before(expectation)
    }

    /// Expectations with the index of their document and their number in it.
    fn expected(&self) -> impl Iterator<Item = (usize, usize, &Expectation)> {
        let documents = self.manifests().loaded.documents.iter().enumerate();
        documents.flat_map(|(document, content)| {
            let expectations = match content.object.as_deref() {
                Some(Manifest::Scenario(scenario)) => scenario.expectations.as_deref(),
                _ => None,
            };
            expectations
                .unwrap_or_default()
                .iter()
                .enumerate()
                .map(move |(number, expectation)| (document, number, expectation))
        })
    }
}

#[cfg(test)]
mod tests;
