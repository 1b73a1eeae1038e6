use super::{Effect, Timer};
use crate::ui::features::explain::ExplainAction;
use crate::ui::features::sources::EditorAction;
use crate::ui::features::time::TimeAction;
use crate::ui::store::{Action, Arrange, Dialog, EditAction, PageAction, SAVE_MS, Store};

#[test]
fn effects_mirror_state_changes() {
    let mut store = Store::default();
    let effects = store.act(Action::Time(TimeAction::Play));
    assert!(effects.contains(&Effect::Play(Some(1000))), "{effects:?}");
    assert!(effects.contains(&Effect::Start(Timer::Save, SAVE_MS)));
    let effects = store.act(Action::Time(TimeAction::Speed(4.0)));
    assert_eq!(effects, [Effect::Play(Some(250))], "saved already soon");
    assert_eq!(store.act(Action::Save), [Effect::StoreVisit]);
    let effects = store.act(Action::Page(PageAction::Arrange(Arrange::FoldRuler)));
    assert!(effects.contains(&Effect::StoreLayout), "{effects:?}");
    let effects = store.act(Action::Time(TimeAction::Play));
    assert_eq!(effects, [Effect::Play(None)]);
}

#[test]
fn a_text_is_stored_when_it_is_read_and_has_changed() {
    let mut store = Store::default();
    let typed = || Action::Editor(EditorAction::Typed("kind: Node".into()));
    let read = || Action::Editor(EditorAction::Read);
    assert!(!store.act(typed()).contains(&Effect::StoreText));
    assert!(store.act(read()).contains(&Effect::StoreText));
    assert!(!store.act(read()).contains(&Effect::StoreText));
}

#[test]
fn what_a_first_visit_does_needs_no_lazy_module() {
    let needs = |action: Action| action.manner().needs_lazy_module;
    assert!(!needs(Action::Time(TimeAction::Run)));
    assert!(!needs(Action::Explain(ExplainAction::Pod("a/b".into()))));
    assert!(!needs(Action::Page(PageAction::Show(None))));
    assert!(needs(Action::Page(PageAction::Show(Some(Dialog::Help)))));
    assert!(needs(Action::Explain(ExplainAction::Find("a/b".into()))));
    assert!(needs(Action::Edit(EditAction::Undo)));
}
