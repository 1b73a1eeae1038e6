//! The JavaScript API as a script uses it: every test runs a piece of JavaScript that calls it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use berth::js::{Berth, Change, Owner, install};
use berth_session::{Options, Session, frame};
use js_sys::Function;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

/// Two nodes, five Pods of a Deployment (four fit), and a gated Pod.
const SMALL: &str = "
apiVersion: v1
kind: Node
metadata: {name: node-a}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: node-b}
status: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: web, resources: {requests: {cpu: 900m}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: gated}
spec:
  schedulingGates: [{name: example.com/wait}]
  containers: [{name: c, image: web}]
---
apiVersion: v1
kind: Pod
metadata: {name: placed}
spec:
  nodeName: node-a
  containers: [{name: c, image: web}]
";

fn berth() -> Berth {
    Berth::new(JsValue::UNDEFINED).expect("no options are fine")
}

/// Runs a function body with `berth` (the given object), `Berth` (the class), `SMALL` (the manifests)
/// and `thrown(f)` (the error that `f` throws, as `[name, message]`), and returns its result as JSON.
fn js_with(berth: Berth, body: &str) -> Value {
    let body = format!(
        "const Berth = berth.constructor;
        const thrown = (f) => {{
            try {{ return ['nothing', JSON.stringify(f())]; }}
            catch (e) {{ return [e instanceof Error ? e.name : typeof e, e.message ?? String(e)]; }}
        }};
        return JSON.stringify((() => {{ {body} }})() ?? null);"
    );
    let function = Function::new_with_args("berth, SMALL", &body);
    let arguments = (JsValue::from(berth), JsValue::from_str(SMALL));
    let result = function.call2(&JsValue::NULL, &arguments.0, &arguments.1);
    let text = result.expect("no exception").as_string();
    serde_json::from_str(&text.expect("a string")).expect("JSON")
}

fn js(body: &str) -> Value {
    js_with(berth(), body)
}

/// Asserts that the piece of JavaScript throws an error of this class with all of these texts in its message.
fn assert_throws(call: &str, class: &str, says: &[&str]) {
    let thrown = js(&format!(
        "berth.applyYaml(SMALL); return thrown(() => {call});"
    ));
    let message = thrown[1].as_str().unwrap_or_default();
    assert_eq!(thrown[0], class, "{call}: {thrown}");
    for part in says {
        assert!(message.contains(part), "{call}: {message}");
    }
}

#[wasm_bindgen_test]
fn a_run_goes_forwards_and_back() {
    let result = js("
        const { accepted, problems } = berth.applyYaml(SMALL);
        const digests = [berth.digest()];
        while (berth.step()) digests.push(berth.digest());
        const end = berth.position;
        const back = [];
        do back.push(berth.digest()); while (berth.stepBack());
        const again = berth.run();
        berth.reset();
        const atStart = berth.position;
        return { accepted, problems, end, again, atStart, some: berth.run(2), position: berth.position,
                 none: berth.run(0), same: back.reverse().join() === digests.join(),
                 sought: berth.seek(6), beyond: berth.seek(Infinity), last: berth.position,
                 stepAtEnd: berth.step() };
    ");
    // Five Pods in the first round; the one that fits nowhere is tried again in the second.
    let want = json!({
        "accepted": true, "problems": [], "end": 6, "again": 6, "atStart": 0, "some": 2, "position": 2,
        "none": 0, "same": true, "sought": true, "beyond": false, "last": 6, "stepAtEnd": false,
    });
    assert_eq!(result, want);
}

#[wasm_bindgen_test]
fn a_frame_and_a_cycle_are_plain_objects() {
    let result = js("
        berth.applyYaml(SMALL); berth.run();
        const frame = berth.frame(), cycle = berth.explain(frame.queue.unschedulable[0]);
        return { plain: Object.getPrototypeOf(frame.nodes[0].labels) === Object.prototype,
                 list: Array.isArray(frame.pods), states: frame.pods.map((pod) => pod.state).sort().join(' '),
                 message: cycle.message, code: cycle.nodes[0].verdict.code,
                 used: cycle.nodes[0].failures[0].facts[0].used, scores: cycle.scores,
                 byNumber: berth.explain(0).selected !== null };
    ");
    assert_eq!(
        result["states"],
        "bound bound bound bound bound gated pending"
    );
    assert_eq!(result["code"], "Unschedulable");
    assert_eq!(result["used"], 1800);
    assert_eq!(result["scores"], Value::Null);
    let message = result["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("0/2 nodes are available: 2 Insufficient cpu."));
    for truth in ["plain", "list", "byNumber"] {
        assert_eq!(result[truth], true, "{truth}");
    }
}

#[wasm_bindgen_test]
fn the_next_attempt_is_explained_before_it_is_made() {
    let result = js("
        berth.applyYaml(SMALL);
        const next = berth.frame().queue.active[0];
        const before = berth.explain(0), byPod = berth.explain(next);
        berth.step();
        return [before.pod === next, JSON.stringify(before) === JSON.stringify(byPod),
                JSON.stringify(before) === JSON.stringify(berth.explain(next)),
                berth.frame().timeline[0].node === before.selected];
    ");
    assert_eq!(result, json!([true, true, true, true]));
}

#[wasm_bindgen_test]
fn sources_come_in_three_forms() {
    let result = js("
        const files = SMALL.split('---');
        const named = Object.fromEntries(files.map((text, i) => [`part-${i}.yaml`, text]));
        const list = files.map((text, i) => ({ name: `part-${i}.yaml`, text }));
        const bare = Object.assign(Object.create(null), named);
        return [SMALL, named, list, bare].map((sources) => {
            const berth = new Berth({ firstOnTies: true });
            const { accepted } = berth.applyYaml(sources);
            berth.run();
            return [accepted, berth.digest()];
        });
    ");
    for other in 1..4 {
        assert_eq!(result[0], result[other]);
    }
    let problem = js("return berth.applyYaml({'bad.yaml': 'kind: [Node'}).problems[0];");
    assert_eq!(problem["file"], "bad.yaml");
}

#[wasm_bindgen_test]
fn what_cannot_be_read_leaves_everything_as_it_was() {
    let result = js("
        berth.applyYaml(SMALL); berth.run();
        const before = berth.digest();
        const { accepted, problems } = berth.applyYaml('kind: [Node');
        return [accepted, problems.length > 0, berth.digest() === before,
                JSON.stringify(berth.problems()) === JSON.stringify(problems), berth.position];
    ");
    assert_eq!(result, json!([false, true, true, true, 6]));
}

#[wasm_bindgen_test]
fn options_are_obeyed() {
    let result = js("
        const run = (options) => {
            const berth = new Berth(options);
            berth.applyYaml(SMALL);
            berth.run();
            return [berth.position, JSON.stringify(berth.frame().timeline), berth.explain];
        };
        const tie = (options) => {
            const berth = new Berth(options);
            berth.applyYaml(SMALL.replace('cpu: 900m', 'cpu: 0').replace('  nodeName: node-a\\n', ''));
            return berth.explain(0).tieBreak;
        };
        return [new Berth({ expandWorkloads: false }).applyYaml(SMALL).accepted,
                (() => { const b = new Berth({ expandWorkloads: false }); b.applyYaml(SMALL); return b.run(); })(),
                run({ seed: 5 })[1] === run({ seed: 5 })[1],
                tie({ firstOnTies: true }), tie({ seed: 9, firstOnTies: undefined }), tie(null).seed];
    ");
    let ties = [
        json!({"among": 2, "seed": null}),
        json!({"among": 2, "seed": 9}),
    ];
    assert_eq!(result, json!([true, 0, true, ties[0], ties[1], 1]));
}

#[wasm_bindgen_test]
fn a_trace_does_not_move_the_run() {
    let result = js("
        berth.applyYaml(SMALL); berth.run(3);
        const trace = berth.trace('mine');
        return [trace.scenario, berth.trace().scenario, trace.attempts.length, berth.position, trace.gated,
                berth.version];
    ");
    let version = json!({"berth": env!("CARGO_PKG_VERSION"), "kubernetes": "v1.36.3"});
    assert_eq!(
        result,
        json!(["mine", "scenario", 6, 3, ["default/gated"], version])
    );
}

#[wasm_bindgen_test]
fn what_is_exported_can_be_applied() {
    let result = js("
        berth.applyYaml(SMALL); berth.run();
        const placed = (berth) => berth.frame().pods.map((pod) => `${pod.key} ${pod.node}`).sort().join();
        const other = new Berth();
        const { accepted, problems } = other.applyYaml(berth.exportYaml());
        return [accepted, problems, placed(other) === placed(berth)];
    ");
    assert_eq!(result, json!([true, [], true]));
}

#[wasm_bindgen_test]
fn wrong_arguments_are_type_errors_that_say_what_is_right() {
    for (call, says) in [
        ("new Berth(1)", ["options", "not 1"]),
        ("new Berth([])", ["options", "an array"]),
        ("new Berth({seed: 1.5})", ["seed", "whole number"]),
        ("new Berth({seed: -1})", ["seed", "whole number"]),
        ("new Berth({seed: 2n})", ["seed", "a bigint"]),
        (
            "new Berth({firstOnTies: 'yes'})",
            ["firstOnTies", "\"yes\""],
        ),
        ("new Berth({frist: true})", ["\"frist\"", "firstOnTies"]),
        ("berth.applyYaml()", ["sources", "undefined"]),
        ("berth.applyYaml(null)", ["sources", "null"]),
        ("berth.applyYaml(() => '')", ["sources", "a function"]),
        (
            "berth.applyYaml(new Map([['a', 'b']]))",
            ["sources", "this object"],
        ),
        ("berth.applyYaml(['text'])", ["{name, text}", "\"text\""]),
        (
            "berth.applyYaml([{name: 'a'}])",
            ["text of a source", "undefined"],
        ),
        ("berth.applyYaml({'a.yaml': 3})", ["\"a.yaml\"", "a string"]),
        ("berth.run('3')", ["limit", "\"3\""]),
        ("berth.run(NaN)", ["limit", "NaN"]),
        ("berth.seek()", ["position", "undefined"]),
        ("berth.seek(-1)", ["position", "0 or more"]),
        (
            "berth.seek({valueOf() { throw 1; }})",
            ["position", "this object"],
        ),
        ("berth.explain()", ["podOrAttempt", "undefined"]),
        ("berth.explain(Symbol('x'))", ["podOrAttempt", "a symbol"]),
        ("berth.trace(1)", ["name", "a string"]),
    ] {
        assert_throws(call, "TypeError", &says);
    }
}

#[wasm_bindgen_test]
fn what_cannot_be_done_is_an_error_that_says_why() {
    for (call, says) in [
        (
            "berth.explain('nobody')",
            ["\"default/nobody\"", "frame().pods"],
        ),
        (
            "berth.explain('gated')",
            ["\"default/gated\"", "example.com/wait"],
        ),
        ("berth.explain('placed')", ["node-a", "from the beginning"]),
        ("berth.explain(99)", ["attempt number 99", "run()"]),
        (
            "berth.explain(berth.frame().queue.active[3])",
            ["not been tried yet", "run()"],
        ),
    ] {
        assert_throws(call, "Error", &says);
    }
}

#[wasm_bindgen_test]
fn strange_values_are_no_danger() {
    let result = js("
        const getter = { get 'a.yaml'() { berth.step(); return SMALL; } };
        const thrower = { get 'a.yaml'() { throw new RangeError('mine'); } };
        const proxy = new Proxy({}, { ownKeys() { throw new RangeError('mine too'); } });
        const huge = SMALL.replace('cpu: \\'2\\', memory: 4Gi', 'cpu: \\'2\\', memory: 8Ei');
        return [berth.applyYaml(getter).accepted, thrown(() => berth.applyYaml(thrower)),
                thrown(() => new Berth(proxy)), berth.applyYaml('\\ud800: \\0').accepted,
                berth.applyYaml(huge).accepted && berth.frame().nodes[0].resources[1].allocatable > 2 ** 53 - 1,
                berth.applyYaml('kind: __proto__\\napiVersion: v1\\nmetadata: {name: x}').problems.length >= 0
                && Object.getPrototypeOf(berth.frame().ignored) === Object.prototype,
                berth.applyYaml([]).accepted, berth.frame().nodes];
    ");
    let mine = json!(["RangeError", "mine"]);
    let mine_too = json!(["RangeError", "mine too"]);
    assert_eq!(
        result,
        json!([true, mine, mine_too, false, true, true, true, []])
    );
}

/// Borrows the session in its callback, as the page does to draw it; no other borrow may exist then.
struct Page {
    session: Rc<RefCell<Session>>,
    changes: Rc<Cell<u32>>,
}

impl Owner for Page {
    fn changed(&self, _: Change) {
        frame::build(&self.session.borrow_mut());
        self.changes.set(self.changes.get() + 1);
    }
}

/// An owner that ignores every change.
struct Nobody;

impl Owner for Nobody {}

#[wasm_bindgen_test]
fn the_page_is_notified_of_every_change_and_of_nothing_else() {
    let session = Rc::new(RefCell::new(Session::new(Options::default())));
    let changes = Rc::new(Cell::new(0));
    let page = Page {
        session: Rc::clone(&session),
        changes: Rc::clone(&changes),
    };
    let result = js_with(
        Berth::shared(Rc::clone(&session), Rc::new(page)),
        "berth.applyYaml(SMALL); berth.step(); berth.stepBack(); berth.run(); berth.reset(); berth.seek(2); berth.trace();
         thrown(() => berth.seek('x'));
         berth.frame(); berth.explain(0); berth.exportYaml(); berth.problems(); berth.digest(); berth.version;
         return berth.position;",
    );
    assert_eq!(result, 2);
    assert_eq!(changes.get(), 7);
    assert_eq!(session.borrow().position(), 2);
}

#[wasm_bindgen_test]
fn calls_during_a_call_are_refused_or_work_but_never_panic() {
    let session = Rc::new(RefCell::new(Session::new(Options::default())));
    let berth = Berth::shared(Rc::clone(&session), Rc::new(Nobody));
    let held = session.borrow_mut();
    let result = js_with(
        berth,
        "return [thrown(() => berth.step()), thrown(() => berth.frame())];",
    );
    drop(held);
    for error in [&result[0], &result[1]] {
        assert_eq!(error[0], "Error");
        assert!(error[1].as_str().unwrap_or_default().contains("busy"));
    }
}

#[wasm_bindgen_test]
fn install_defines_the_global() {
    install(berth()).expect("globalThis is not frozen");
    let result = js("return [globalThis.berth.position, globalThis.berth instanceof Berth];");
    assert_eq!(result, json!([0, true]));
}

#[wasm_bindgen_test]
fn the_bench_names_what_it_does_not_know() {
    let table = berth::js::bench(JsValue::from_str("nothing-known")).expect("a string");
    assert!(table.contains("nothing-known"), "{table}");
    assert!(berth::js::bench(JsValue::from_f64(1.0)).is_err());
}
