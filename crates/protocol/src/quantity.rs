//! Amounts in the notation of manifests.

/// Milli-CPU: `250m`, `2`.
pub fn cpu(milli_cpu: i64) -> String {
    if milli_cpu % 1000 == 0 {
        (milli_cpu / 1000).to_string()
    } else {
        format!("{milli_cpu}m")
    }
}

/// Bytes in the largest binary unit that yields a whole number: `512Mi`.
pub fn bytes(bytes: i64) -> String {
    const UNITS: [(u32, &str); 5] = [(50, "Pi"), (40, "Ti"), (30, "Gi"), (20, "Mi"), (10, "Ki")];
    let whole = UNITS
        .iter()
        .find(|(shift, _)| bytes != 0 && bytes % (1 << shift) == 0);
    match whole {
        Some((shift, unit)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

/// An amount of a resource, given in the unit of [`crate::fact::FactKind::Resource`].
pub fn of(resource: &str, amount: i64) -> String {
    match resource {
        "cpu" => cpu(amount),
        name if is_in_bytes(name) => bytes(amount),
        _ => amount.to_string(),
    }
}

/// The same; CPU always in milli-CPU, so that the parts of a sum have one unit.
pub fn exact(resource: &str, amount: i64) -> String {
    match resource {
        "cpu" => format!("{amount}m"),
        other => of(other, amount),
    }
}

/// An amount to be read rather than written, with its unit or resource: `2 CPU`, `14.3 GiB memory`, `1 nvidia.com/gpu`.
pub fn asked(resource: &str, amount: i64) -> String {
    match resource {
        "cpu" => format!("{} CPU", cpu(amount)),
        name if is_in_bytes(name) => format!("{} {name}", readable_bytes(amount)),
        name => format!("{amount} {name}"),
    }
}

/// Two amounts of a resource with the unit that they share: `2` and `1.5 CPU`, `200` and `9.8 GiB`.
pub fn pair(resource: &str, from: i64, to: i64) -> (String, String) {
    if resource == "cpu" {
        let amount: fn(i64) -> String = match from.max(to) {
            ..1000 => |milli_cpu| format!("{milli_cpu}m"),
            _ => cores,
        };
        return (amount(from), format!("{} CPU", amount(to)));
    }
    if !is_in_bytes(resource) {
        return (from.to_string(), to.to_string());
    }
    let (number, unit) = scaled(from);
    let from = match unit == scaled(to).1 {
        true => number,
        false => format!("{number} {unit}"),
    };
    (from, readable_bytes(to))
}

/// Several amounts of a resource to be read beside its name: CPU as decimal numbers, or all in milli-CPU if none is a whole
/// CPU; bytes rounded.
pub fn alike<const N: usize>(resource: &str, amounts: [i64; N]) -> [String; N] {
    let most = amounts.iter().max().copied().unwrap_or(0);
    amounts.map(|amount| match resource {
        "cpu" if most < 1000 => format!("{amount}m"),
        "cpu" => cores(amount),
        name if is_in_bytes(name) => readable_bytes(amount),
        _ => amount.to_string(),
    })
}

/// Milli-CPU as a decimal number of CPUs: `1.5`.
fn cores(milli_cpu: i64) -> String {
    let decimals = format!("{:03}", milli_cpu.unsigned_abs() % 1000);
    match decimals.trim_end_matches('0') {
        "" => (milli_cpu / 1000).to_string(),
        decimals => format!("{}.{decimals}", milli_cpu / 1000),
    }
}

/// An amount of a resource in a sentence: CPU in milli-CPU, bytes rounded.
pub fn readable(resource: &str, amount: i64) -> String {
    let [amount] = sum(resource, [amount], amount, amount);
    amount
}

/// Several amounts of a resource in one sentence: CPU in milli-CPU, bytes rounded, or exact where that would hide
/// `difference` between amounts of about `size`.
pub fn sum<const N: usize>(
    resource: &str,
    amounts: [i64; N],
    difference: i64,
    size: i64,
) -> [String; N] {
    let unit = 1_i64 << (size.max(1).ilog2() / 10 * 10);
    let amount: fn(i64) -> String = match resource {
        "cpu" => |amount| format!("{amount}m"),
        name if !is_in_bytes(name) => |amount| amount.to_string(),
        // Each amount is off by a twentieth of the unit at most.
        _ if difference < unit / 5 => bytes,
        _ => readable_bytes,
    };
    amounts.map(amount)
}

/// Bytes rounded to a tenth of the largest binary unit: `14.3 GiB`.
pub fn readable_bytes(bytes: i64) -> String {
    let (number, unit) = scaled(bytes);
    format!("{number} {unit}")
}

/// The rounded number, and the unit.
fn scaled(bytes: i64) -> (String, &'static str) {
    const UNITS: [(u32, &str); 5] = [
        (50, "PiB"),
        (40, "TiB"),
        (30, "GiB"),
        (20, "MiB"),
        (10, "KiB"),
    ];
    let size = bytes.unsigned_abs();
    let Some((shift, unit)) = UNITS.iter().find(|(shift, _)| size >= 1 << shift) else {
        return (bytes.to_string(), "B");
    };
    let tenths = (i128::from(bytes) * 10 + (1_i128 << (shift - 1))) >> shift;
    let number = match tenths % 10 {
        0 => (tenths / 10).to_string(),
        tenth => format!("{}.{}", tenths / 10, tenth.abs()),
    };
    (number, unit)
}

/// Whether amounts of the resource are in bytes.
pub fn is_in_bytes(resource: &str) -> bool {
    matches!(resource, "memory" | "ephemeral-storage") || resource.starts_with("hugepages-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_as_in_manifests() {
        assert_eq!([cpu(0), cpu(250), cpu(2000)], ["0", "250m", "2"]);
        let memory = [
            bytes(0),
            bytes(100),
            bytes(512 << 20),
            bytes(3 << 29),
            bytes(4 << 30),
        ];
        assert_eq!(memory, ["0", "100", "512Mi", "1536Mi", "4Gi"]);
    }

    #[test]
    fn amounts_to_be_read_are_short_and_named() {
        assert_eq!(asked("cpu", 1500), "1500m CPU");
        assert_eq!(asked("memory", 15_000_000 << 10), "14.3 GiB memory");
        assert_eq!(asked("nvidia.com/gpu", 1), "1 nvidia.com/gpu");
        let two = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(pair("cpu", 2000, 1000), two("2", "1 CPU"));
        assert_eq!(pair("cpu", 64_000, 3100), two("64", "3.1 CPU"));
        assert_eq!(pair("cpu", 2000, 250), two("2", "0.25 CPU"));
        assert_eq!(pair("cpu", 500, 250), two("500m", "250m CPU"));
        assert_eq!(alike("cpu", [1970, 3700]), ["1.97", "3.7"]);
        assert_eq!(alike("cpu", [70, 900]), ["70m", "900m"]);
        assert_eq!(alike("memory", [9 << 30, 0]), ["9 GiB", "0 B"]);
        let memory = pair("memory", 200 << 30, 10_040 << 20);
        assert_eq!(memory, two("200", "9.8 GiB"));
        let memory = pair("memory", 2 << 30, 512 << 20);
        assert_eq!(memory, two("2 GiB", "512 MiB"));
        assert_eq!(pair("nvidia.com/gpu", 2, 1), two("2", "1"));
    }

    #[test]
    fn bytes_are_rounded_where_the_difference_still_shows() {
        let (used, asked, there) = (3 << 30, 20_000 << 20, 7_900 << 20);
        let short = |there: i64| {
            let missing = used + asked - there;
            sum("memory", [missing, used, asked, there], missing, there)
        };
        assert_eq!(short(there), ["14.8 GiB", "3 GiB", "19.5 GiB", "7.7 GiB"]);
        assert_eq!(
            short(used + asked - (1 << 20)),
            ["1Mi", "3Gi", "20000Mi", "23071Mi"]
        );
        assert_eq!(readable("memory", 21_516 << 20), "21 GiB");
        assert_eq!(sum("cpu", [3000, 250], 1, 1), ["3000m", "250m"]);
    }
}
