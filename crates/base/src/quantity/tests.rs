use super::{ParseQuantityError, Quantity};

fn parse(text: &str) -> Quantity {
    Quantity::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn canonical_form() {
    for (text, canonical) in [
        ("0", "0"),
        ("0.5", "500m"),
        ("1500m", "1500m"),
        ("2000m", "2"),
        ("1024Ki", "1Mi"),
        ("1.5Gi", "1536Mi"),
        ("1000", "1k"),
        ("1024", "1024"),
        ("0.5Ki", "512"),
        ("1000Ki", "1000Ki"),
        ("100000000", "100M"),
        ("1e3", "1e3"),
        ("1E3", "1e3"),
        ("12e2", "1200"),
        ("5e-3", "5e-3"),
        ("0.1n", "1n"),
        ("-1.5", "-1500m"),
        ("+3", "3"),
        ("1.", "1"),
        ("m", "0"),
        ("-", "0"),
        (".5", "500m"),
        ("1E", "1E"),
        ("1000E", "1e21"),
        ("0.0001Ki", "102400u"),
    ] {
        assert_eq!(parse(text).to_string(), canonical, "{text}");
    }
}

#[test]
fn values_round_up() {
    for (text, value, milli) in [
        ("100m", 1, 100),
        ("1.0001", 2, 1001),
        ("0.1m", 1, 1),
        ("-1.5", -2, -1500),
        ("4Gi", 4 << 30, (4 << 30) * 1000),
        ("9223372036854775807", i64::MAX, i64::MAX),
        ("99999999999999999999", i64::MAX, i64::MAX),
        ("16Ei", i64::MAX, i64::MAX),
        ("1e400", i64::MAX, i64::MAX),
        ("-1e400", i64::MIN, i64::MIN),
        ("1e-400", 1, 1),
        ("0e400", 0, 0),
    ] {
        assert_eq!(
            (parse(text).value(), parse(text).milli_value()),
            (value, milli),
            "{text}"
        );
    }
}

#[test]
fn refused_as_the_api_server_does() {
    use ParseQuantityError::{Format, Suffix};
    for (text, error) in [
        ("", Format),
        ("1 Gi", Format),
        ("1GB", Format),
        ("0x10", Format),
        ("--1", Suffix),
        ("1.2.3", Format),
        ("NaN", Format),
        ("inf", Format),
        ("1gi", Format),
        ("1mi", Suffix),
        ("1ki", Suffix),
        ("1K", Suffix),
        ("1KiB", Format),
        ("1m1", Suffix),
        ("1e", Suffix),
        ("1e99999999999999999999", Suffix),
    ] {
        assert_eq!(Quantity::parse(text), Err(error), "{text:?}");
    }
}

#[test]
fn arithmetic_and_order() {
    assert_eq!(parse("1"), parse("1000m"));
    assert!(parse("1Gi") > parse("1G"));
    assert_eq!(parse("500m").add(parse("0.5")).to_string(), "1");
    assert_eq!(parse("0").add(parse("1Mi")).to_string(), "1Mi");
    assert_eq!(parse("1Gi").sub(parse("1Mi")).to_string(), "1023Mi");
    assert_eq!(parse("100.5u").rounded_up_to_milli(), parse("1m"));
}
