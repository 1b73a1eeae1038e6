//! The icons of pictures, as in `index.html`.

/// Name and content of each symbol, on 16 × 16 units.
const ICONS: [(&str, &str); 12] = [
    (
        "active",
        r#"<path d="M4 2.5 12.5 8 4 13.5z" fill="currentColor"/>"#,
    ),
    (
        "backoff",
        r#"<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.75"/><path d="M8 4.5V8l2.4 1.6" fill="none" stroke="currentColor" stroke-width="1.75"/>"#,
    ),
    (
        "chosen",
        r#"<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2"/><circle cx="8" cy="8" r="2.4" fill="currentColor"/>"#,
    ),
    (
        "cordon",
        r#"<path d="M2 4.5h12M2 11.5h12M4.5 4.5l4 7M8.5 4.5l4 7" stroke="currentColor" stroke-width="1.5" fill="none"/>"#,
    ),
    (
        "feasible",
        r#"<path d="M8 2.5 14.5 13.5h-13z" fill="currentColor"/>"#,
    ),
    (
        "gated",
        r#"<path d="M3 2.5v11M13 2.5v11M3 8h10" fill="none" stroke="currentColor" stroke-width="1.9"/>"#,
    ),
    (
        "noexecute",
        r#"<path d="M5 1.5h6L14.5 5v6L11 14.5H5L1.5 11V5z" fill="currentColor"/><path d="m5.3 5.3 5.4 5.4m0-5.4-5.4 5.4" stroke="var(--knock, var(--paper))" stroke-width="1.9"/>"#,
    ),
    (
        "noschedule",
        r#"<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.75"/><path d="M4.5 8h7" stroke="currentColor" stroke-width="2.25"/>"#,
    ),
    (
        "prefer",
        r#"<circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.75" stroke-dasharray="2.6 2.3"/><path d="M5.5 8h5" stroke="currentColor" stroke-width="1.75"/>"#,
    ),
    (
        "rejected",
        r#"<rect x="1.5" y="1.5" width="13" height="13" rx="1.5" fill="currentColor"/><path d="m5 5 6 6m0-6-6 6" stroke="var(--paper)" stroke-width="1.9"/>"#,
    ),
    (
        "victim",
        r#"<rect x="2" y="2" width="12" height="12" rx="1" fill="none" stroke="currentColor" stroke-width="1.75"/><path d="M2.5 13.5 13.5 2.5" stroke="currentColor" stroke-width="1.75"/>"#,
    ),
    (
        "waiting",
        r#"<path d="M8 1.8 14.2 8 8 14.2 1.8 8z" fill="none" stroke="currentColor" stroke-width="1.9"/>"#,
    ),
];

/// An icon's content in these colors; empty if there is none of that name. `knock`: the color within filled shapes.
pub fn content(name: &str, color: &str, knock: &str) -> String {
    let icon = ICONS.iter().find(|(known, _)| *known == name);
    icon.map_or("", |(_, content)| content)
        .replace("currentColor", color)
        .replace("var(--knock, var(--paper))", knock)
        .replace("var(--paper)", knock)
}

#[cfg(test)]
mod tests {
    #[test]
    fn icons_are_those_of_the_page() {
        let page = include_str!("../../../index.html");
        for (name, content) in super::ICONS {
            let symbol =
                format!("<symbol id=\"i-{name}\" viewBox=\"0 0 16 16\">{content}</symbol>");
            assert!(page.contains(&symbol), "{name}");
        }
    }
}
