//! The Export dialog: what can be saved, and in which format.

use yew::{Callback, Html, MouseEvent, html};

use super::state::ExportAction;
use crate::export::svg::Theme;
use crate::ui::features::builder;
use crate::ui::store::{Action, Store};
use crate::words;

/// The dialog's body.
/// Cold: kept out of the first download.
#[inline(never)]
pub fn view(store: &Store, act: &Callback<Action>) -> Html {
    let export = store.export;
    let themes = [(Theme::Light, words::LIGHT), (Theme::Dark, words::DARK)];
    let themes = themes.map(|(theme, name)| {
        choice(
            name.get(),
            export.theme == theme,
            ExportAction::Theme(theme),
            act,
        )
    });
    let scales = [1, 2].map(|scale| {
        let is_chosen = export.scale == scale;
        choice(
            &words::times(scale),
            is_chosen,
            ExportAction::Scale(scale),
            act,
        )
    });
    let has_cycle = store.cycle().is_some();
    html! {
        <div class="exports">
            <section class="exports__row">
                <div><h3>{ words::EXPORT_PICTURE }</h3><p class="note">{ words::EXPORT_PICTURE_MEANS }</p>
                    <div class="exports__choices">
                        <span class="seg" role="radiogroup" aria-label={words::PICTURE_COLORS}>{ for themes }</span>
                        <span class="seg" role="radiogroup" aria-label={words::PNG_SIZE}>{ for scales }</span>
                    </div>
                </div>
                <div class="exports__do">
                    { save("svg", words::SAVE_SVG.get(), true, ExportAction::Svg, act) }
                    { save("png", words::SAVE_PNG.get(), true, ExportAction::Png, act) }
                </div>
            </section>
            <section class="exports__row">
                <div><h3>{ words::EXPORT_EXPLANATION }</h3>
                    <p class="note">{ if has_cycle { words::EXPORT_EXPLANATION_MEANS } else { words::NOTHING_EXPLAINED } }</p></div>
                <div class="exports__do">
                    { save("copy-markdown", words::COPY_MARKDOWN.get(), has_cycle, ExportAction::CopyMarkdown, act) }
                    { save("markdown", words::SAVE_MARKDOWN.get(), has_cycle, ExportAction::Markdown, act) }
                    { save("print", words::PRINT.get(), has_cycle, ExportAction::Print, act) }
                </div>
            </section>
            <section class="exports__row">
                <div><h3>{ words::EXPORT_EVENTS }</h3><p class="note">{ words::EXPORT_EVENTS_MEANS }</p></div>
                <div class="exports__do">{ save("events", words::SAVE_CSV.get(), true, ExportAction::Events, act) }</div>
            </section>
            <section class="exports__row">
                <div><h3>{ words::EXPORT_MANIFESTS }</h3><p class="note">{ words::EXPORT_MANIFESTS_MEANS }</p>
                    if store.editor.text.contains("uid") { <p class="note">{ words::EXPORT_REDACTED }</p> }</div>
                <div class="exports__do">{ save("sources", words::SAVE_SOURCES.get(), true, ExportAction::Sources, act) }{ save("yaml", words::SAVE_YAML.get(), true, ExportAction::Manifests, act) }</div>
            </section>
            <section class="exports__row">
                <div><h3>{ words::LESSON }</h3><p class="note">{ words::builder::MAKE_LESSON_MEANS }</p></div>
                <div class="exports__do">{ builder::entry_button(store, act) }</div>
            </section>
        </div>
    }
}

/// The button that opens the dialog.
pub fn button(act: &Callback<Action>) -> Html {
    let onclick = act.reform(|_: MouseEvent| Action::Export(ExportAction::Open));
    html! { <button class="btn" data-action="export" aria-haspopup="dialog" {onclick}>{ words::EXPORT }</button> }
}

fn choice(name: &str, is_chosen: bool, action: ExportAction, act: &Callback<Action>) -> Html {
    let onclick = act.reform(move |_: MouseEvent| Action::Export(action));
    html! { <button role="radio" aria-checked={is_chosen.to_string()} {onclick}>{ name.to_owned() }</button> }
}

fn save(
    name: &'static str,
    label: &'static str,
    enabled: bool,
    action: ExportAction,
    act: &Callback<Action>,
) -> Html {
    let onclick = act.reform(move |_: MouseEvent| Action::Export(action));
    html! { <button class="btn btn--line" data-export={name} disabled={!enabled} {onclick}>{ label }</button> }
}
