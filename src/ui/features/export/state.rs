//! Export: the stage as a picture, the explanation as Markdown and on paper, the timeline, the manifests.

use crate::export::svg::Theme;
use crate::export::{events, markdown, svg};
use crate::ui::engine::redact;
use crate::ui::store::{Dialog, Effect, Store};
use crate::words;
use berth_protocol::command::{Command, Query};
use berth_protocol::happening::Happening;

/// Something to take away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportAction {
    /// Opens the dialog.
    Open,
    /// The colors of pictures.
    Theme(Theme),
    /// Pixels of a PNG for each of the picture.
    Scale(u8),
    Svg,
    Png,
    Markdown,
    /// The same, for a ticket or a chat.
    CopyMarkdown,
    /// The explanation on paper.
    Print,
    Events,
    /// The manifests as they are written.
    Sources,
    /// The manifests with the current place of every Pod.
    Manifests,
    /// The picture for the page that embeds this one, which stops it.
    ForHost(Theme),
}

/// The choices of the dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export {
    pub theme: Theme,
    pub scale: u8,
}

impl Default for Export {
    fn default() -> Self {
        Self {
            theme: Theme::Light,
            scale: 2,
        }
    }
}

impl Store {
    #[inline(never)]
    pub(in crate::ui) fn on_export(&mut self, action: ExportAction) -> Vec<Effect> {
        match action {
            ExportAction::Open => self.page.dialog = Some(Dialog::Export),
            ExportAction::Theme(theme) => self.export.theme = theme,
            ExportAction::Scale(scale) => self.export.scale = scale.clamp(1, 4),
            ExportAction::Svg => {
                let text = self.picture(self.export.theme);
                return vec![self.file("svg", text)];
            }
            ExportAction::Png => {
                return vec![Effect::DownloadPng {
                    name: self.name("png"),
                    svg: self.picture(self.export.theme),
                    scale: self.export.scale,
                }];
            }
            ExportAction::Markdown => {
                let text = self.explanation();
                return text.map(|text| self.file("md", text)).into_iter().collect();
            }
            ExportAction::CopyMarkdown => {
                // The page shows whether it was copied, which the dialog would hide.
                self.page.dialog = None;
                return self
                    .explanation()
                    .map(Effect::CopyText)
                    .into_iter()
                    .collect();
            }
            ExportAction::Print => {
                self.page.dialog = None;
                return vec![Effect::PrintExplanation];
            }
            // The ruler of a simulated cluster has moments only.
            ExportAction::Events if self.view.head.now_ms.is_some() => {
                return vec![Effect::Send(Command::Ask(Query::Happened))];
            }
            ExportAction::Events => {
                let text = events::csv(&self.view.timeline, self.view.head.position);
                return vec![self.file("csv", text)];
            }
            ExportAction::Sources => {
                let text = self.editor.text.to_string();
                let text = redact(&text).map_or(text, |redacted| redacted.text);
                return vec![self.file("yaml", text)];
            }
            ExportAction::Manifests => return vec![Effect::Send(Command::Ask(Query::Export))],
            ExportAction::ForHost(theme) => return vec![Effect::TellHost(self.picture(theme))],
        }
        Vec::new()
    }

    /// The list of all that happened in the simulated cluster.
    #[inline(never)]
    pub(in crate::ui) fn happened_file(&self, happened: &[Happening]) -> Effect {
        let lines = happened
            .iter()
            .map(|happening| (happening.at_ms, words::happening(&happening.what)));
        self.file("csv", events::listed(lines))
    }

    /// The explanation as Markdown; if there is none, a notice.
    fn explanation(&mut self) -> Option<String> {
        let fixes = self.explain.fixes.found.clone();
        let text = markdown::explanation(&self.moment(), &fixes);
        if text.is_none() {
            self.page.notice = Some(words::NOTHING_EXPLAINED.to_owned());
        }
        text
    }

    fn picture(&self, theme: Theme) -> String {
        svg::stage(&self.moment(), theme)
    }

    fn file(&self, ending: &str, text: String) -> Effect {
        Effect::Download {
            name: self.name(ending),
            text: text.into(),
        }
    }

    /// A file's name: the scenario's title in letters that every system takes.
    fn name(&self, ending: &str) -> String {
        let title = self.view.head.title.to_lowercase();
        let words = title.split(|letter: char| !letter.is_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(6).collect();
        let stem = if words.is_empty() {
            "berth".to_owned()
        } else {
            words.join("-")
        };
        format!("{stem}.{ending}")
    }
}
