//! What is done of a course as a short code: letters and digits that cannot be mistaken when they are read aloud, and
//! a check character.

use std::collections::BTreeSet;

use super::state::Course;

/// Crockford's alphabet: without I, L, O and U.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The code of the lessons that are done, in groups of four: five lessons a character, then the check character.
pub fn code(course: &Course, done: &BTreeSet<String>) -> String {
    let flags: Vec<bool> = course
        .lessons()
        .map(|lesson| done.contains(&lesson.slug))
        .collect();
    let digits = flags.chunks(5).map(|five| {
        five.iter()
            .enumerate()
            .fold(0, |sum, (bit, is_done)| sum | usize::from(*is_done) << bit)
    });
    let mut digits: Vec<usize> = digits.collect();
    digits.push(check(&digits));
    let letters = digits.iter().filter_map(|digit| LETTERS.get(*digit));
    let letters: Vec<char> = letters.map(|letter| char::from(*letter)).collect();
    let groups: Vec<String> = letters
        .chunks(4)
        .map(|group| group.iter().collect())
        .collect();
    groups.join("-")
}

/// The lessons that a code says are done; `None` if it is wrong.
pub fn read(course: &Course, code: &str) -> Option<BTreeSet<String>> {
    let letters = code
        .chars()
        .filter(|letter| !letter.is_whitespace() && *letter != '-');
    let digits: Option<Vec<usize>> = letters.map(digit).collect();
    let digits = digits?;
    let (last, digits) = digits.split_last()?;
    let lessons: Vec<_> = course.lessons().collect();
    if digits.len() != lessons.len().div_ceil(5) || *last != check(digits) {
        return None;
    }
    let done = lessons.iter().enumerate().filter(|(index, _)| {
        let digit = digits.get(index / 5).copied().unwrap_or_default();
        digit >> (index % 5) & 1 == 1
    });
    Some(done.map(|(_, lesson)| lesson.slug.clone()).collect())
}

/// The lessons that a saved file says are done; `None` if it lists none of the course, as any other text would.
pub fn read_file(course: &Course, text: &str) -> Option<BTreeSet<String>> {
    let mut done = read_done(text);
    done.retain(|slug| course.number(slug).is_some());
    (!done.is_empty()).then_some(done)
}

/// Reads slugs, one a line: the format of the file, too.
pub fn read_done(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(str::trim);
    let slugs = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    slugs.map(str::to_owned).collect()
}

/// What a line of a lesson begins with of which only the solution was seen.
pub const SEEN: &str = "# seen ";

/// Reads the slugs of lessons of which only the solution was seen.
pub fn read_seen(text: &str) -> BTreeSet<String> {
    let slugs = text.lines().filter_map(|line| line.strip_prefix(SEEN));
    slugs.map(|slug| slug.trim().to_owned()).collect()
}

/// A character's value; those that are mistaken for others count as these.
fn digit(letter: char) -> Option<usize> {
    let letter = match letter.to_ascii_uppercase() {
        'O' => '0',
        'I' | 'L' => '1',
        'U' => 'V',
        letter => letter,
    };
    LETTERS.iter().position(|own| char::from(*own) == letter)
}

/// Luhn's sum in base 32: finds every single wrong character, and nearly every swap of neighbors.
fn check(digits: &[usize]) -> usize {
    let sum: usize = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let weighted = digit * if place % 2 == 0 { 2 } else { 1 };
            weighted / 32 + weighted % 32
        })
        .sum();
    (32 - sum % 32) % 32
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{LETTERS, code, read, read_file, read_seen};
    use crate::ui::features::course::{Chapter, Course, Listed, progress_text};

    fn course() -> Course {
        let lessons = (1..=30).map(|number| Listed {
            slug: format!("{number:02}"),
            ..Listed::default()
        });
        Course {
            chapters: vec![Chapter {
                lessons: lessons.collect(),
                ..Chapter::default()
            }],
            ..Course::default()
        }
    }

    #[test]
    fn a_code_is_read_back_however_it_is_progress_text() {
        let course = course();
        for done in [vec![], vec!["01"], vec!["01", "02", "17", "30"]] {
            let done = done.into_iter().map(str::to_owned).collect();
            let code = code(&course, &done);
            assert_eq!(code.len(), 8, "{code}");
            assert_eq!(read(&course, &code), Some(done.clone()));
            let spoken = code.to_lowercase().replace('-', " ").replace('0', "o");
            assert_eq!(read(&course, &spoken), Some(done));
        }
    }

    #[test]
    fn a_file_is_read_back_and_another_text_is_refused() {
        let course = course();
        let done: BTreeSet<String> = ["02", "17"].map(str::to_owned).into();
        let seen: BTreeSet<String> = ["03".to_owned()].into();
        let text = progress_text(&done, &seen);
        assert_eq!(read_file(&course, &text), Some(done.clone()));
        assert_eq!(read_seen(&text), seen);
        // That of a course which has more lessons.
        assert_eq!(read_file(&course, "02\n17\n31-new\n"), Some(done));
        for text in ["", "milk\nbread\n", "kind: Pod\nmetadata: {name: 02}\n"] {
            assert_eq!(read_file(&course, text), None, "{text}");
        }
    }

    #[test]
    fn a_wrong_character_is_found() {
        let course = course();
        let done = ["03", "09", "28"].map(str::to_owned).into();
        let good = code(&course, &done);
        for (place, old) in good.char_indices().filter(|(_, letter)| *letter != '-') {
            for letter in LETTERS.iter().map(|letter| char::from(*letter)) {
                if letter != old {
                    let mut bad = good.clone();
                    bad.replace_range(place..=place, &letter.to_string());
                    assert_eq!(read(&course, &bad), None, "{good} {bad}");
                }
            }
        }
        assert_eq!(read(&course, &good[1..]), None);
    }
}
