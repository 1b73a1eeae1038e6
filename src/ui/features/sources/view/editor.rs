//! The code editor: a separate bundle, loaded when it is first shown. Until then, or if it cannot be loaded, the text
//! area behind it is used.

use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::future_to_promise;
use web_sys::Element;
use yew::{Callback, Component, Context, Html, NodeRef, Properties, html};

use crate::ui::features::sources::EditorAction;
use crate::ui::files;
use crate::ui::load::load;
use crate::ui::store::{Action, EditAction};
use crate::words;
use crate::words::language;
use berth_protocol::problem::Problem;

/// The bundle's address, relative to the page.
const BUNDLE: &str = "./editor.js";

/// After this time, the next change of the page loads a bundle again that could not be loaded.
const RETRY_MS: f64 = 3000.0;

/// Lines to mark, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    pub first: u32,
    pub last: u32,
}

#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    pub text: Rc<str>,
    /// Incremented when the text changes other than by the editor.
    pub version: u32,
    pub problems: Vec<Problem>,
    /// The lines of the chosen verdict's fact.
    pub clash: Vec<Lines>,
    /// Requested cursor position: line, column (0: do not take the focus), and a request counter.
    pub target: Option<(u32, u32, u32)>,
    pub act: Callback<Action>,
    pub ready: Callback<()>,
}

pub enum Loading {
    Loaded(JsValue),
    /// The editor could not be loaded; the text area is used instead.
    Missing,
}

/// The editor.
pub struct Editor {
    place: NodeRef,
    handle: Option<JsValue>,
    /// When the bundle could not be loaded, by the page's clock in milliseconds; it is loaded again later.
    missing: Option<f64>,
    /// Called from JavaScript while the editor exists.
    _callbacks: Vec<Closure<dyn FnMut(JsValue)>>,
    _fields: Option<Closure<dyn FnMut() -> Promise>>,
}

impl Component for Editor {
    type Message = Loading;
    type Properties = Props;

    fn create(ctx: &Context<Self>) -> Self {
        fetch(ctx);
        Self {
            place: NodeRef::default(),
            handle: None,
            missing: None,
            _callbacks: Vec::new(),
            _fields: None,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, loading: Loading) -> bool {
        match loading {
            Loading::Loaded(module) => {
                self.open(ctx.props(), &module);
                if self.handle.is_some() {
                    ctx.props().ready.emit(());
                }
            }
            Loading::Missing => self.missing = Some(js_sys::Date::now()),
        }
        false
    }

    fn changed(&mut self, ctx: &Context<Self>, old: &Props) -> bool {
        let now = js_sys::Date::now();
        if self
            .missing
            .take_if(|since| now - *since > RETRY_MS)
            .is_some()
        {
            fetch(ctx);
        }
        let new = ctx.props();
        if new.version != old.version {
            self.call("setText", &new.text.as_ref().into());
        }
        if new.problems != old.problems {
            self.call("setDiagnostics", &diagnostics(&new.problems));
        }
        if new.clash != old.clash {
            self.call("mark", &marks(&new.clash));
        }
        if new.act != old.act {
            // The page has another language.
            self.call2(
                "setLanguage",
                &language::current().tag().into(),
                &words::MANIFESTS.get().into(),
            );
        }
        if new.target != old.target {
            self.go_to(new.target);
        }
        false
    }

    fn view(&self, _: &Context<Self>) -> Html {
        html! { <div class="editor editor--live" ref={self.place.clone()} /> }
    }

    fn destroy(&mut self, _: &Context<Self>) {
        self.call("destroy", &JsValue::UNDEFINED);
    }
}

/// Loads the bundle.
fn fetch(ctx: &Context<Editor>) {
    let link = ctx.link().clone();
    let done = Closure::once_into_js(move |module: JsValue| {
        link.send_message(Loading::Loaded(module));
    });
    let link = ctx.link().clone();
    let failed = Closure::once_into_js(move |_: JsValue| link.send_message(Loading::Missing));
    let loading = load(BUNDLE);
    if let Ok(then) = Reflect::get(&loading, &"then".into())
        && let Some(then) = then.dyn_ref::<Function>()
    {
        let _ = then.call2(&loading, &done, &failed);
    }
}

impl Editor {
    fn open(&mut self, props: &Props, module: &JsValue) {
        let Some(place) = self.place.cast::<Element>() else {
            return;
        };
        let act = props.act.clone();
        let changed = Closure::<dyn FnMut(JsValue)>::new(move |text: JsValue| {
            if let Some(text) = text.as_string() {
                act.emit(Action::Editor(EditorAction::Typed(text)));
            }
        });
        let act = props.act.clone();
        let moved = Closure::<dyn FnMut(JsValue)>::new(move |line: JsValue| {
            let line = line.as_f64().unwrap_or(1.0);
            act.emit(Action::Editor(EditorAction::Cursor(line as u32)));
        });
        let on = |action: Action| {
            let act = props.act.clone();
            Closure::<dyn FnMut(JsValue)>::new(move |_| act.emit(action.clone()))
        };
        let (undo, redo) = (
            on(Action::Edit(EditAction::Undo)),
            on(Action::Edit(EditAction::Redo)),
        );
        let options = Object::new();
        let set = |name: &str, value: &JsValue| {
            // Setting a property of a plain object cannot fail.
            let _ = Reflect::set(&options, &name.into(), value);
        };
        set("text", &props.text.as_ref().into());
        set("language", &language::current().tag().into());
        set("label", &words::MANIFESTS.get().into());
        let fields = Closure::<dyn FnMut() -> Promise>::new(|| {
            future_to_promise(async {
                files::fetch(files::FIELDS)
                    .await
                    .map(Into::into)
                    .ok_or(JsValue::NULL)
            })
        });
        set("loadFields", fields.as_ref());
        set("announceProblems", &false.into());
        set("onChange", changed.as_ref());
        set("onCursor", moved.as_ref());
        set("onUndo", undo.as_ref());
        set("onRedo", redo.as_ref());
        let create = Reflect::get(module, &"createEditor".into()).ok();
        let handle = create
            .and_then(|create| create.dyn_into::<Function>().ok())
            .and_then(|create| create.call2(&JsValue::NULL, &place, &options).ok());
        self.handle = handle;
        self._callbacks = vec![changed, moved, undo, redo];
        self._fields = Some(fields);
        self.call("setDiagnostics", &diagnostics(&props.problems));
        self.call("mark", &marks(&props.clash));
        self.go_to(props.target);
    }

    fn go_to(&self, target: Option<(u32, u32, u32)>) {
        let Some((line, column, _)) = target else {
            return;
        };
        self.call2("goTo", &line.into(), &column.max(1).into());
        if column > 0 {
            self.call("focus", &JsValue::UNDEFINED);
        }
    }

    fn method(&self, name: &str) -> Option<(&JsValue, Function)> {
        let handle = self.handle.as_ref()?;
        let method = Reflect::get(handle, &name.into()).ok()?;
        Some((handle, method.dyn_into().ok()?))
    }

    fn call(&self, name: &str, argument: &JsValue) {
        if let Some((handle, method)) = self.method(name) {
            // Errors are ignored: the editor omits what it cannot show.
            let _ = method.call1(handle, argument);
        }
    }

    fn call2(&self, name: &str, one: &JsValue, other: &JsValue) {
        if let Some((handle, method)) = self.method(name) {
            let _ = method.call2(handle, one, other);
        }
    }
}

fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

fn diagnostics(problems: &[Problem]) -> JsValue {
    let list = problems.iter().map(|problem| {
        object(&[
            ("line", problem.line.into()),
            ("column", problem.column.into()),
            ("severity", problem.severity.name().into()),
            ("message", words::remark(&problem.message).into()),
            ("help", words::remark(&problem.help).into()),
        ])
    });
    list.collect::<Array>().into()
}

fn marks(clash: &[Lines]) -> JsValue {
    let list = clash.iter().map(|lines| {
        object(&[
            ("fromLine", lines.first.into()),
            ("toLine", lines.last.into()),
            ("kind", "clash".into()),
        ])
    });
    list.collect::<Array>().into()
}
