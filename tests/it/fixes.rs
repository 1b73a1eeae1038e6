//! Fixes over the recorded scenarios: each helps when it is tried again, and there are never many.

use berth::protocol::fix::{Candidate, Fix};
use berth::session::{Options, Session, SourceFile};

use crate::conformance::corpus;

/// One scenario in so many is looked at, and in it the first few attempts that failed.
const STEP: usize = 11;
const PER_SCENARIO: usize = 2;
/// Failed attempts that must have been among them.
const ATTEMPTS: usize = 100;
/// Candidates that one attempt may have, whatever the size of its cluster.
const MAX_CANDIDATES: usize = 40;

#[test]
fn every_fix_of_a_recorded_failure_helps() {
    let options = Options {
        first_on_ties: true,
        seed: 0,
        expand_workloads: false,
        live: false,
    };
    let (mut attempts, mut helped, mut kinds) = (0, 0, std::collections::BTreeSet::new());
    // Some of every category.
    for case in corpus::cases().into_iter().step_by(STEP) {
        let mut session = Session::new(options);
        assert!(session.apply(&[SourceFile::new(case.name.as_str(), case.yaml.as_str())]));
        session.run_to_end();
        let digest = session.digest();
        let log = session.attempts();
        let failed = log.filter(|(_, attempt)| attempt.node().is_none());
        let failed: Vec<usize> = failed.map(|(position, _)| position).collect();
        for position in failed.into_iter().take(PER_SCENARIO) {
            attempts += 1;
            let fixes = check(&session, position, &case.name);
            helped += usize::from(!fixes.is_empty());
            kinds.extend(fixes.iter().map(kind));
        }
        assert_eq!(session.digest(), digest, "{}: trying changed it", case.name);
    }
    assert!(attempts >= ATTEMPTS, "{attempts} attempts failed");
    // Most failures of the corpus have one cause.
    assert!(2 * helped > attempts, "{helped} of {attempts}");
    assert!(kinds.len() >= 8, "{kinds:?}");
}

fn check(session: &Session, position: usize, name: &str) -> Vec<Fix> {
    let candidates = session.fix_candidates(position).expect("an attempt");
    assert!(candidates.len() <= MAX_CANDIDATES, "{name}");
    let fixes = session.fixes(position).expect("an attempt");
    assert!(fixes.is_sorted_by_key(|fix| fix.rank), "{name}");
    for fix in &fixes {
        let sentence = fix.sentence();
        let known = candidates.iter().find(|known| known.what == fix.what);
        let known = known.unwrap_or_else(|| panic!("{name}: {sentence} was no candidate"));
        // As a page has it: sent there and back.
        let sent = borsh::to_vec(known).expect("bytes");
        let sent: Candidate = borsh::from_slice(&sent).expect("the same bytes");
        assert_eq!(&sent, known, "{name}: {sentence}");
        let again = session.verify_fix(position, &sent);
        assert_eq!(again.as_ref(), Some(fix), "{name}: {sentence}");
        assert!(!fix.node.is_empty() && !fix.edits.is_empty(), "{fix:?}");
    }
    fixes
}

fn kind(fix: &Fix) -> String {
    fix.what.kind().to_owned()
}
