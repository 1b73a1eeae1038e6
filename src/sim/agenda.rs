//! Due work in order: earlier first, and of one moment what was put down first.

use std::collections::BTreeMap;

use crate::base::time::Time;

/// Names a piece of work on the agenda, so that it can be called off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket {
    due: Time,
    sequence: u64,
}

/// What is to be done, and when. All operations take logarithmic time.
#[derive(Clone, Debug)]
pub struct Agenda<W> {
    due: BTreeMap<Ticket, W>,
    next_sequence: u64,
}

impl<W> Default for Agenda<W> {
    fn default() -> Self {
        Self {
            due: BTreeMap::new(),
            next_sequence: 0,
        }
    }
}

impl<W> Agenda<W> {
    /// Puts down work; of two pieces for the same moment the one put down first comes first.
    pub fn put(&mut self, due: Time, work: W) -> Ticket {
        let ticket = Ticket {
            due,
            sequence: self.next_sequence,
        };
        self.next_sequence += 1;
        self.due.insert(ticket, work);
        ticket
    }

    /// Takes work off the agenda; `None` if it is done already.
    pub fn call_off(&mut self, ticket: Ticket) -> Option<W> {
        self.due.remove(&ticket)
    }

    /// When the next work is due.
    pub fn next_due(&self) -> Option<Time> {
        self.due.keys().next().map(|ticket| ticket.due)
    }

    /// Takes the next work, and when it was due.
    pub fn take_next(&mut self) -> Option<(Time, W)> {
        let (ticket, work) = self.due.pop_first()?;
        Some((ticket.due, work))
    }

    /// Whether nothing is left to do.
    pub fn is_empty(&self) -> bool {
        self.due.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Agenda;
    use crate::base::time::Time;

    #[test]
    fn work_comes_by_time_and_then_as_it_was_put_down() {
        let mut agenda = Agenda::default();
        agenda.put(Time::at_second(2), "b");
        agenda.put(Time::at_second(1), "a");
        let off = agenda.put(Time::at_second(2), "never");
        agenda.put(Time::at_second(2), "c");
        assert_eq!(agenda.call_off(off), Some("never"));
        assert_eq!(agenda.call_off(off), None);
        assert_eq!(agenda.next_due(), Some(Time::at_second(1)));
        let order: Vec<&str> = std::iter::from_fn(|| agenda.take_next())
            .map(|(_, work)| work)
            .collect();
        assert_eq!(order, ["a", "b", "c"]);
        assert!(agenda.is_empty());
    }
}
