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
}
