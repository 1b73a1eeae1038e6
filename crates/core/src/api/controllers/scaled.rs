//! Numbers of Pods, given as integers or percentages (apimachinery `util/intstr`, Kubernetes v1.34).

use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

/// Resolves a value against `total`. `None` for a string that is not a percentage.
pub fn scaled(value: &IntOrString, total: i32, round_up: bool) -> Option<i32> {
    match value {
        IntOrString::Int(number) => Some(*number),
        IntOrString::String(text) => {
            let percent: i64 = text.strip_suffix('%')?.parse().ok()?;
            let hundredfold = percent.checked_mul(i64::from(total))?;
            let floor = hundredfold.div_euclid(100);
            let rest = hundredfold.rem_euclid(100) > 0;
            i32::try_from(floor + i64::from(round_up && rest)).ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_percentages_round_as_asked() {
        assert_eq!(scaled(&IntOrString::Int(3), 10, true), Some(3));
        let percent = |text: &str, total, up| scaled(&IntOrString::String(text.into()), total, up);
        assert_eq!(percent("25%", 10, true), Some(3));
        assert_eq!(percent("25%", 10, false), Some(2));
        assert_eq!(percent("50%", 10, true), Some(5));
        assert_eq!(percent("1%", 0, true), Some(0));
        assert_eq!(
            (percent("25", 10, true), percent("x%", 10, true)),
            (None, None)
        );
    }
}
