//! Probes: when the kubelet runs them, and what it concludes from the results.
//!
//! Mirrors `pkg/kubelet/prober` v1.34: the first probe runs `initialDelaySeconds` after the start, then one every
//! `periodSeconds`; the verdict changes after `successThreshold` or `failureThreshold` equal results in a row.
//! Readiness and liveness probes run once the startup probe has succeeded. Probes whose result is known and changes
//! nothing are skipped.

use k8s_openapi::api::core::v1::Probe;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::behavior::Schedule;

/// Consecutive failures of one probe that are reported as events. client-go's event recorder allows a burst of 25
/// similar events, and then one every five minutes.
const MAX_TOLD: u32 = 25;

/// The kind of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Startup,
    Liveness,
    Readiness,
}

impl Question {
    /// The name in events.
    pub fn title(self) -> &'static str {
        match self {
            Question::Startup => "Startup",
            Question::Liveness => "Liveness",
            Question::Readiness => "Readiness",
        }
    }
}

/// A probe of a container, with its results since the container's start.
#[derive(Clone, Debug)]
pub(super) struct ProbeRun {
    pub question: Question,
    initial_ms: i64,
    period_ms: i64,
    success_threshold: u32,
    failure_threshold: u32,
    /// The message of a failure; `None` if the Pod has no such probe, only an annotation.
    failure: Option<String>,
    /// The probe's own grace period in seconds, in place of the Pod's.
    pub grace_seconds: Option<i64>,
    /// When it runs next.
    next: Option<i64>,
    /// The last result, and how often it occurred in a row.
    run: Option<(bool, u32)>,
    /// The current verdict.
    pub verdict: bool,
}

/// The outcome of one run of a probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The new verdict, if it changed.
    pub verdict: Option<bool>,
    /// The failure to report.
    pub failure: Option<String>,
}

impl ProbeRun {
    pub fn new(question: Question, probe: &Probe, pod_ip: &str) -> Self {
        let seconds = |value: Option<i32>, default: i32, least: i32| {
            i64::from(value.unwrap_or(default).max(least)) * 1_000
        };
        let threshold = |value: Option<i32>, default: i32| {
            u32::try_from(value.unwrap_or(default).max(1)).unwrap_or(1)
        };
        ProbeRun {
            question,
            initial_ms: seconds(probe.initial_delay_seconds, 0, 0),
            period_ms: seconds(probe.period_seconds, 10, 1),
            success_threshold: threshold(probe.success_threshold, 1),
            failure_threshold: threshold(probe.failure_threshold, 3),
            failure: Some(format!(
                "{} probe failed: {}",
                question.title(),
                output(probe, pod_ip)
            )),
            grace_seconds: probe.termination_grace_period_seconds,
            next: None,
            run: None,
            verdict: question == Question::Liveness,
        }
    }

    /// Readiness from an annotation alone: checked every second, without events, and effective at once.
    pub fn annotated() -> Self {
        ProbeRun {
            question: Question::Readiness,
            initial_ms: 0,
            period_ms: 1_000,
            success_threshold: 1,
            failure_threshold: 1,
            failure: None,
            grace_seconds: None,
            next: None,
            run: None,
            verdict: false,
        }
    }

    /// Starts probing a container that started at `since_ms`.
    pub fn arm(&mut self, since_ms: i64, now_ms: i64) {
        self.run = None;
        self.verdict = self.question == Question::Liveness;
        self.next = Some(since_ms.saturating_add(self.initial_ms).max(now_ms));
    }

    /// Resumes probing an adopted container from its last known state.
    pub fn resume(&mut self, ready: bool, now_ms: i64) {
        match self.question {
            Question::Startup => self.disarm(),
            Question::Liveness => self.next = Some(now_ms),
            Question::Readiness => {
                self.verdict = ready;
                self.next = Some(now_ms);
            }
        }
    }

    /// Stops probing.
    pub fn disarm(&mut self) {
        self.next = None;
    }

    /// Resumes the regular period, since the results have changed.
    pub fn look_again(&mut self, since_ms: i64, now_ms: i64) {
        let first = since_ms.saturating_add(self.initial_ms);
        self.next = Some(self.round_up(first, now_ms));
    }

    pub fn next_due(&self) -> Option<i64> {
        self.next
    }

    /// Runs the probe once, if it is due.
    pub fn ask(&mut self, since_ms: i64, now_ms: i64, seen: &Schedule<bool>) -> Option<Answer> {
        let at = self.next.filter(|at| *at <= now_ms)?;
        let is_well = seen
            .at(at.saturating_sub(since_ms))
            .copied()
            .unwrap_or(true);
        let count = match self.run {
            Some((last, count)) if last == is_well => count.saturating_add(1),
            _ => 1,
        };
        self.run = Some((is_well, count));
        let threshold = if is_well {
            self.success_threshold
        } else {
            self.failure_threshold
        };
        let mut answer = Answer::default();
        if !is_well && count <= MAX_TOLD {
            answer.failure.clone_from(&self.failure);
        }
        // A startup probe's verdict is initially false, so its first failure is also a change.
        let is_new = self.verdict != is_well || (self.question == Question::Startup && !is_well);
        if count >= threshold && is_new {
            self.verdict = is_well;
            answer.verdict = Some(is_well);
        }
        self.next = self.next_after(at, since_ms, seen, is_well, count);
        Some(answer)
    }

    /// The next run that may change something or is reported.
    fn next_after(
        &self,
        at: i64,
        since_ms: i64,
        seen: &Schedule<bool>,
        is_well: bool,
        count: u32,
    ) -> Option<i64> {
        let next = at.saturating_add(self.period_ms);
        let settled = self.verdict == is_well
            && (is_well || self.failure.is_none() || count >= MAX_TOLD)
            && count
                >= if is_well {
                    self.success_threshold
                } else {
                    self.failure_threshold
                };
        if !settled {
            return Some(next);
        }
        let change = seen.next_change(at.saturating_sub(since_ms))?;
        Some(self.round_up(next, since_ms.saturating_add(change)))
    }

    /// The first run at or after `at`, among those that follow `from` at whole periods.
    fn round_up(&self, from: i64, at: i64) -> i64 {
        let missing = at.saturating_sub(from).max(0);
        let periods = missing / self.period_ms + i64::from(missing % self.period_ms > 0);
        from.saturating_add(periods.saturating_mul(self.period_ms))
    }
}

/// The message of a failing probe of this kind.
fn output(probe: &Probe, pod_ip: &str) -> String {
    if let Some(exec) = &probe.exec {
        return match exec.command.as_deref().unwrap_or_default() {
            [program, .., file] if program == "cat" || program.ends_with("/cat") => {
                format!("cat: can't open '{file}': No such file or directory")
            }
            [program, .., file] if program == "ls" || program.ends_with("/ls") => {
                format!("ls: {file}: No such file or directory")
            }
            _ => String::new(),
        };
    }
    if probe.grpc.is_some() {
        return "service unhealthy (responded with \"NOT_SERVING\")".to_owned();
    }
    if let Some(socket) = &probe.tcp_socket {
        let port = match &socket.port {
            IntOrString::Int(port) => port.to_string(),
            IntOrString::String(name) => name.clone(),
        };
        return format!("dial tcp {pod_ip}:{port}: connect: connection refused");
    }
    "HTTP probe failed with statuscode: 500".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(initial: i32, period: i32, success: i32, failure: i32) -> Probe {
        Probe {
            initial_delay_seconds: Some(initial),
            period_seconds: Some(period),
            success_threshold: Some(success),
            failure_threshold: Some(failure),
            ..Probe::default()
        }
    }

    /// Runs a probe up to the second `until`; returns its verdicts with their seconds, and the number of failures.
    fn verdicts(
        run: &mut ProbeRun,
        seen: &Schedule<bool>,
        until: i64,
    ) -> (Vec<(i64, bool)>, usize) {
        let (mut verdicts, mut failures) = (Vec::new(), 0);
        while let Some(at) = run.next_due().filter(|at| *at <= until * 1_000) {
            let answer = run.ask(0, at, seen).unwrap();
            verdicts.extend(answer.verdict.map(|verdict| (at / 1_000, verdict)));
            failures += usize::from(answer.failure.is_some());
        }
        (verdicts, failures)
    }

    #[test]
    fn verdicts_follow_delays_and_thresholds() {
        let mut run = ProbeRun::new(Question::Readiness, &probe(5, 10, 2, 3), "10.244.0.1");
        run.arm(0, 0);
        let mut seen = Schedule::changing(true, 20_000, false);
        seen.push(60_000, true);
        // Runs at 5, 15, 25, 35, 45, …: succeeds twice, fails three times, then succeeds twice.
        let (changes, failures) = verdicts(&mut run, &seen, 200);
        assert_eq!(changes, [(15, true), (45, false), (75, true)]);
        assert_eq!(failures, 4);
        assert_eq!(run.next_due(), None, "nothing is left to find out");
    }

    #[test]
    fn reports_of_a_failing_readiness_probe_are_limited() {
        let mut run = ProbeRun::new(Question::Readiness, &probe(0, 1, 1, 3), "10.244.0.1");
        run.arm(0, 0);
        let seen = Schedule::changing(false, 1_000_500, true);
        let (changes, failures) = verdicts(&mut run, &seen, 2_000);
        assert_eq!((changes, failures), (vec![(1_001, true)], 25));
    }

    #[test]
    fn a_startup_probe_gives_up_after_its_threshold() {
        let mut run = ProbeRun::new(Question::Startup, &probe(0, 10, 1, 3), "10.244.0.1");
        run.arm(0, 0);
        let (changes, _) = verdicts(&mut run, &Schedule::always(false), 20);
        assert_eq!(changes, [(20, false)]);
    }

    #[test]
    fn liveness_is_initially_true() {
        let mut run = ProbeRun::new(Question::Liveness, &probe(0, 10, 1, 2), "10.244.0.1");
        run.arm(0, 0);
        let (changes, _) = verdicts(&mut run, &Schedule::changing(true, 95_000, false), 110);
        assert_eq!(changes, [(110, false)]);
    }
}
