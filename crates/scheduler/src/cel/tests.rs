//! The table of recorded expressions, and texts that must not break anything.

use k8s_openapi::api::resource::v1::Device;
use serde_json::Value as Json;

use super::{DeviceValue, MAX_COST, Rules, compile};
use berth_base::random::Random;

/// Expressions decided by Kubernetes v1.34.1: creation errors, estimated costs, results on six devices.
const RECORDED: &str = include_str!("tests/cel.json");

const NEW: Rules = Rules {
    stored: false,
    allow_multiple: false,
};
const STORED: Rules = Rules {
    stored: true,
    allow_multiple: true,
};

fn devices(recorded: &Json) -> Vec<(String, DeviceValue)> {
    let all = recorded["devices"].as_array().unwrap();
    all.iter()
        .map(|it| {
            let device: Device = serde_json::from_value(it["device"].clone()).unwrap();
            let driver = it["driver"].as_str().unwrap();
            let name = it["name"].as_str().unwrap().to_owned();
            (name, DeviceValue::new(driver, &device))
        })
        .collect()
}

#[test]
fn recorded_expressions_are_decided_alike() {
    let recorded: Json = serde_json::from_str(RECORDED).unwrap();
    let devices = devices(&recorded);
    let mut wrong = Vec::new();
    let expressions = recorded["expressions"].as_array().unwrap();
    for it in expressions {
        let text = it["expression"].as_str().unwrap();
        let create = compile(text, NEW);
        let error = create.as_ref().err().cloned().unwrap_or_default();
        if error != it["create"].as_str().unwrap() {
            wrong.push(format!(
                "{text}\n  create {error}\n  wanted {}",
                it["create"]
            ));
        }
        if let (Ok(program), Some(cost)) = (&create, it["maxCost"].as_u64()) {
            let costly = program.max_cost > MAX_COST;
            if program.max_cost != cost || costly != it["tooCostly"].as_bool().unwrap_or(false) {
                wrong.push(format!("{text}\n  cost {} wanted {cost}", program.max_cost));
            }
        }
        let Some(results) = it["results"].as_object() else {
            continue;
        };
        let program = match compile(text, STORED) {
            Ok(program) => program,
            Err(error) => {
                wrong.push(format!("{text}\n  stored: {error}"));
                continue;
            }
        };
        for (name, device) in &devices {
            let found = match program.matches(device) {
                Ok(value) => Json::Bool(value),
                Err(error) => Json::String(error),
            };
            if found != results[name] {
                wrong.push(format!(
                    "{text}\n  {name}: {found} wanted {}",
                    results[name]
                ));
            }
        }
    }
    assert!(expressions.len() >= 325);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Pieces of which random texts are made: whole terms, operators, and what breaks them.
const PIECES: [&str; 46] = [
    "device",
    ".driver",
    ".attributes",
    "[\"gpu.example.com\"]",
    ".model",
    ".index",
    ".capacity",
    ".memory",
    "==",
    "!=",
    "<",
    ">=",
    "&&",
    "||",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "in",
    "?",
    ":",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "1",
    "2.5",
    "\"h100\"",
    "true",
    "null",
    "quantity(\"1Gi\")",
    "semver(\"1.0.0\")",
    ".exists(k, ",
    ".all(k, ",
    ".map(k, ",
    "has(",
    "cel.bind(x, ",
    "x",
    "k",
    ".?model",
    "'",
];

#[test]
fn random_texts_neither_panic_nor_run_away() {
    let recorded: Json = serde_json::from_str(RECORDED).unwrap();
    let devices = devices(&recorded);
    let mut random = Random::new(7);
    let (mut compiled, mut refused) = (0, 0);
    for round in 0..6000 {
        let mut text = String::new();
        if round % 2 == 0 {
            for _ in 0..1 + random.below(14) {
                text.push_str(PIECES[random.below(PIECES.len() as u64) as usize]);
                if random.below(4) == 0 {
                    text.push(' ');
                }
            }
        } else {
            // A recorded expression with one piece put in or characters left out.
            let all = recorded["expressions"].as_array().unwrap();
            let one = all[random.below(all.len() as u64) as usize]["expression"].as_str();
            let letters: Vec<char> = one.unwrap().chars().collect();
            let at = random.below(letters.len() as u64 + 1) as usize;
            text.extend(&letters[..at]);
            if random.below(2) == 0 {
                text.push_str(PIECES[random.below(PIECES.len() as u64) as usize]);
            }
            let skipped = (at + random.below(3) as usize).min(letters.len());
            text.extend(&letters[skipped..]);
        }
        match compile(&text, STORED) {
            Err(error) => {
                assert!(!error.is_empty());
                refused += 1;
            }
            Ok(program) => {
                compiled += 1;
                for (_, device) in &devices {
                    let _ = program.matches(device);
                    let _ = program.seen(device);
                }
            }
        }
    }
    assert!(compiled > 300 && refused > 300, "{compiled} {refused}");
}

#[test]
fn deep_and_growing_expressions_end() {
    let device = DeviceValue::new("d", &Device::default());
    for text in [
        "(".repeat(5000),
        format!("{}1{} == 1", "(".repeat(240), ")".repeat(240)),
        format!("{}true", "!".repeat(5001)),
        vec!["1"; 4000].join("+") + " == 1",
        vec!["true"; 2000].join("&&"),
        format!("device{}", ".a".repeat(4000)),
        format!("{}true", "[".repeat(9000)),
        "a?".repeat(3000),
    ] {
        if let Ok(program) = compile(&text, NEW) {
            let _ = program.matches(&device);
        }
    }
    // Each step doubles a list or a text.
    for (first, step) in [
        ("[1,1]", "x+x"),
        ("\"aaaaaaaaaa\"", "x.replace(\"a\", x)"),
        ("[1]", "[x,x]"),
    ] {
        let text = format!(
            "{}{}{}{}",
            "cel.bind(x, ".to_owned() + first + ", ",
            format!("cel.bind(x, {step}, ").repeat(40),
            "x == x",
            ")".repeat(41)
        );
        let program = compile(&text, NEW).unwrap_or_else(|error| panic!("{error}"));
        let _ = program.matches(&device);
    }
}

#[test]
fn values_seen_are_those_that_the_expression_names() {
    let recorded: Json = serde_json::from_str(RECORDED).unwrap();
    let devices = devices(&recorded);
    let text = "device.driver == \"gpu.example.com\" && device.attributes[\"gpu.example.com\"].model == \"h100\" \
        && has(device.attributes[\"gpu.example.com\"].nosuch) \
        && device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"1Gi\")) > 0";
    let program = compile(text, NEW).unwrap();
    let (_, full) = &devices[0];
    let seen = program.seen(full);
    let seen: Vec<String> = seen
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    assert_eq!(
        seen,
        [
            "driver=gpu.example.com",
            "gpu.example.com/model=h100",
            "gpu.example.com/nosuch=not set",
            "gpu.example.com/memory=80Gi",
        ]
    );
}
