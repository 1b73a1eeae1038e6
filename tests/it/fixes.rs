//! Fixes for failed attempts of the recorded scenarios: each fix, made where it was offered, places its Pod, and the
//! number of candidates is bounded.

use berth_base::random::Random;

use berth_protocol::fix::{Candidate, Change, Fix};
use berth_session::{Options, Session, SourceFile, edit, fixes};

use crate::conformance::corpus;

/// The sample: one scenario in `ONE_IN`, at random, and the first `PER_SCENARIO` failed attempts of each.
const SEED: u64 = 12;
const ONE_IN: u64 = 8;
const PER_SCENARIO: usize = 2;
/// Minimum number of failed attempts that the sample must contain.
const ATTEMPTS: usize = 100;
/// Maximum number of candidates of one attempt, at any size of the cluster.
const MAX_CANDIDATES: usize = 40;

#[test]
fn every_fix_of_a_recorded_failure_helps() {
    let options = Options {
        first_on_ties: true,
        seed: 0,
        expand_workloads: false,
        ..Options::default()
    };
    let (mut attempts, mut helped, mut kinds) = (0, 0, std::collections::BTreeSet::new());
    let mut random = Random::new(SEED);
    for case in corpus::cases() {
        if random.below(ONE_IN) > 0 {
            continue;
        }
        let mut session = Session::new(options.clone());
        assert!(session.apply(&[SourceFile::new(case.name.as_str(), case.yaml.as_str())]));
        session.run_to_end();
        let digest = session.digest();
        let log = session.attempts();
        let failed = log.filter(|(_, attempt)| attempt.node().is_none());
        let failed: Vec<usize> = failed.map(|(position, _)| position).collect();
        for position in failed.into_iter().take(PER_SCENARIO) {
            attempts += 1;
            let fixes = check(&session, position, &case.name);
            for fix in &fixes {
                commit(&mut session, position, fix, &case.name);
            }
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
    let candidates = fixes::candidates(session, position).expect("an attempt");
    assert!(candidates.len() <= MAX_CANDIDATES, "{name}");
    let fixes = fixes::find(session, position).expect("an attempt");
    assert!(fixes.is_sorted_by_key(|fix| fix.rank), "{name}");
    for fix in &fixes {
        let sentence = fix.remark();
        let find = |what: &Change| {
            let known = candidates.iter().find(|known| known.what == *what);
            known.unwrap_or_else(|| panic!("{name}: {sentence} was no candidate"))
        };
        if let Change::Both { first, second } = &fix.what {
            for part in [first, second] {
                let alone = fixes::verify(session, position, find(&part.what));
                assert_eq!(alone, None, "{name}: {sentence}");
            }
            continue;
        }
        let known = find(&fix.what);
        // The engine's worker sends candidates to the page, and the page sends them back.
        let sent = borsh::to_vec(known).expect("bytes");
        let sent: Candidate = borsh::from_slice(&sent).expect("the same bytes");
        assert_eq!(&sent, known, "{name}: {sentence}");
        let again = fixes::verify(session, position, &sent);
        assert_eq!(again.as_ref(), Some(fix), "{name}: {sentence}");
        let is_given_up = matches!(fix.what, Change::Forgo { .. });
        assert_eq!(fix.node.is_empty(), is_given_up, "{fix:?}");
        assert!(!fix.edits.is_empty(), "{fix:?}");
    }
    fixes
}

/// Makes the fix where it was offered, checks that the Pod's next attempt places it, and undoes the fix.
fn commit(session: &mut Session, position: usize, fix: &Fix, name: &str) {
    let about = format!("{name} at {position}: {}", fix.remark());
    let key = session.attempt(position).expect("an attempt").key.clone();
    assert!(session.seek(position), "{about}");
    let made = edit::make(session, &fix.edits);
    assert!(made.is_ok(), "{about}: {made:?}");
    let is_given_up = matches!(fix.what, Change::Forgo { .. });
    let pods = session.run().cluster().pods();
    let is_gone = pods.iter().all(|pod| pod.object.key() != key);
    assert_eq!(is_gone, is_given_up, "{about}");
    let placed = loop {
        if is_given_up {
            break Some(String::new());
        }
        let position = session.position();
        assert!(session.step(), "{about}: {key} is not tried again");
        if let Some(attempt) = session.attempt(position).filter(|it| it.key == key) {
            break attempt.node().map(|node| node.to_string());
        }
    };
    assert_eq!(placed.as_ref(), Some(&fix.node), "{about}");
    assert!(session.undo(), "{about}");
    session.run_to_end();
}

fn kind(fix: &Fix) -> String {
    fix.what.kind().to_owned()
}
