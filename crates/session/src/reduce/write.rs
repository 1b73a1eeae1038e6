//! Writes a reduced draft as a case.

use berth_core::api::cron::Zone;
use berth_core::api::scenario::{Case, CaseSource, Claim, Counterfactual, Verified};
use berth_core::api::source::SourceFile;
use berth_core::api::yaml;
use berth_protocol::fix::Fix;
use berth_protocol::reduce::{OtherRun, ReducedCase};
use berth_protocol::remark::Remark;
use serde_json::{Value, json};

use super::sides;
use super::trial::{Trial, is_same, play_text};
use super::{Reduced, Reduction, size_of};
use crate::case;
use crate::case::claim_of;
use crate::session::Session;

/// The file of an ended reduction, after the whole case was played as it is written.
pub(super) fn reduced(
    it: &Reduction,
    date: Option<String>,
    source: Option<String>,
) -> Result<Reduced, Remark> {
    let plain = text_of(&sides::of_first(&it.documents));
    let trial = play_text(plain, &it.options, &it.pod);
    let trial = trial.ok_or_else(Remark::reduces_not_alone)?;
    let verified = Verified {
        kubernetes: it
            .session
            .manifests()
            .prepared
            .release
            .version()
            .full()
            .to_owned(),
        date,
        by: format!("berth {}", env!("CARGO_PKG_VERSION")),
    };
    let change = it.fix.as_ref();
    let fix = change.and_then(|change| trial.fix(|other| is_same(change, other)));
    let other = it.other.as_ref().map(|other| {
        let trial = other.play(&it.documents, &it.options, &it.pod);
        let trial = trial.ok_or_else(Remark::reduces_not_alone);
        trial.map(|trial| (other, trial))
    });
    let other = other.transpose()?;
    let case = Case {
        claim: claim(&trial),
        otherwise: other.as_ref().map(|(_, trial)| claim(trial)),
        counterfactual: fix.as_ref().map(counterfactual),
        source: source.map(|text| CaseSource { text, url: None }),
        verified: Some(verified),
    };
    let mut documents = sides::of_first(&it.documents);
    if let Some(Value::Object(head)) = documents.first_mut() {
        head.extend(case.fields());
        if let Some((other, _)) = &other {
            head.insert(
                "compare".to_owned(),
                json!({"b": other.side(&it.documents)}),
            );
        }
    }
    let text = text_of(&documents);
    let broken = trial_of_file(it, &text, &case);
    if let Some((path, why)) = broken.into_iter().next() {
        return Err(Remark::at_field(path, why));
    }
    let mut lacks = Vec::new();
    if it.is_stopped {
        lacks.push(Remark::reduces_stopped());
    }
    if case.counterfactual.is_none() && case.claim.waits == Some(true) && other.is_none() {
        lacks.push(Remark::reduces_without_fix());
    }
    Ok(Reduced {
        case,
        names: it.names.clone(),
        shown: ReducedCase {
            from: it.from,
            to: size_of(&documents),
            runs: it.runs,
            text,
            attempt: trial.told(),
            other: other.map(|(other, trial)| OtherRun {
                differs_by: other.differs_by(&it.documents),
                attempt: trial.told(),
            }),
            fix: fix.map(|fix| fix.remark()),
            lacks,
        },
    })
}

fn claim(trial: &Trial) -> Claim {
    let mut claim = claim_of(&trial.cycle);
    if let Some(name) = claim.pod.strip_prefix("default/") {
        claim.pod = name.to_owned();
    }
    claim
}

/// What does not hold of a case as it is written.
fn trial_of_file(it: &Reduction, text: &str, case: &Case) -> Vec<(String, Remark)> {
    let mut session = Session::new(it.options.clone());
    session.apply(&[SourceFile::new("case.yaml", text)]);
    case::broken(&mut session, case)
}

fn counterfactual(fix: &Fix) -> Counterfactual {
    Counterfactual {
        words: Some(fix.remark().to_string()),
        edits: fix.edits.iter().map(berth_base::json::value).collect(),
        node: fix.node.clone(),
    }
}

/// Documents in few lines.
fn text_of(documents: &[Value]) -> String {
    let texts = documents.iter().enumerate().map(|(index, document)| {
        let mut document = document.clone();
        tidy(&mut document);
        match index {
            // The Scenario is read first.
            0 => yaml::flow_fields(&document),
            _ => yaml::flow(&document),
        }
    });
    texts.collect::<Vec<String>>().join("---\n")
}

/// Leaves out the namespace that is the default, and puts names first.
fn tidy(document: &mut Value) {
    if let Some(Value::Object(metadata)) = document.get_mut("metadata")
        && metadata.get("namespace") == Some(&"default".into())
    {
        metadata.shift_remove("namespace");
    }
    names_first(document);
}

fn names_first(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(names_first),
        Value::Object(map) => {
            for field in ["key", "name"] {
                if let Some(name) = map.shift_remove(field) {
                    map.shift_insert(0, field.to_owned(), name);
                }
            }
            map.values_mut().for_each(names_first);
        }
        _ => {}
    }
}

/// The day, `2026-11-30`, of seconds since 1970.
pub fn date(seconds: i64) -> String {
    let text = Zone::utc().rfc3339(seconds);
    text.split('T').next().unwrap_or_default().to_owned()
}
