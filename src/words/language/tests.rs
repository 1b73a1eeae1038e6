use super::{
    About, Language, comma, counted, current, docs, install, is_installed, number, say,
    set_current, space,
};

/// Languages that have nothing but a text.
const POLISH: Language = Language(&About {
    tag: "pl",
    name: "polski",
    percent: 1,
    address: "",
});
const CHINESE: Language = Language(&About {
    tag: "zh-Hans",
    name: "中文",
    percent: 1,
    address: "",
});

fn pods(count: usize) -> String {
    counted(count, "{pods} Pod", "{pods} Pods", &[&number(count)])
}

fn other(_: usize) -> String {
    "other".to_owned()
}

#[test]
fn sentences_are_said_in_the_language_in_use() {
    let waits = || say("{pod} waits for {gate}.", &[&"web", &"a.b/c"]);
    assert!(!is_installed(CHINESE));
    set_current(CHINESE);
    assert_eq!(
        (current(), waits()),
        (Language::SOURCE, "web waits for a.b/c.".to_owned())
    );
    assert_eq!((pods(1), pods(2)), ("1 Pod".into(), "2 Pods".into()));
    let text = "name: 中文\nspaces: none\n\n# Names.\n{pod} waits for {gate}.\n{gate}：{pod} 在等待\n\n{pods} Pods\n{pods} 个 Pod\n";
    install(CHINESE, text.to_owned(), other);
    set_current(CHINESE);
    assert_eq!(
        (current(), waits()),
        (CHINESE, "a.b/c：web 在等待".to_owned())
    );
    assert_eq!(
        (pods(1), pods(2000)),
        ("1 个 Pod".into(), "2,000 个 Pod".into())
    );
    let missing = say("new here | menu", &[]);
    assert_eq!(missing, "new here", "an older catalogue");
    let waits_for = say("{pod} waits for {gate}.", &[&"它", &"门"]);
    assert_eq!(waits_for, "门：它在等待");
    set_current(Language::SOURCE);
    assert_eq!(waits(), "web waits for a.b/c.");
}

/// A language is one text: forms by category, and English where it has none.
#[test]
fn a_catalogue_alone_is_a_language() {
    let category = |count| match count {
        1 => "one".to_owned(),
        2..5 => "few".to_owned(),
        _ => "many".to_owned(),
    };
    let text = "\
name: polski
docs: pl/docs

{pods} Pods
one: jeden Pod
few: {pods} Pody
other: {pods} Podów

{first} {second} | sentences
{first}  {second}

# A form that no count has.
{nodes} nodes
two: {nodes}
other: {nodes} węzłów
";
    install(POLISH, text.to_owned(), category);
    set_current(POLISH);
    assert_eq!((current(), docs()), (POLISH, "pl/docs"));
    assert_eq!([1, 3, 5].map(pods), ["jeden Pod", "3 Pody", "5 Podów"]);
    let nodes = |count| counted(count, "{nodes} node", "{nodes} nodes", &[&count]);
    assert_eq!([1, 2].map(nodes), ["1 węzłów", "2 węzłów"]);
    let plugins = |count| counted(count, "{plugins} plugin", "{plugins} plugins", &[&count]);
    assert_eq!([1, 2].map(plugins), ["1 plugin", "2 plugins"]);
    assert_eq!((comma(), space()), (", ", "  "));
    assert_eq!(say("{pod} waits", &[&"中 文"]), "中 文 waits");
    set_current(Language::SOURCE);
    assert_eq!((docs(), space()), ("docs", " "));
}

#[test]
fn the_language_of_the_source_is_the_first() {
    let all: Vec<Language> = Language::all().collect();
    assert_eq!(all[0], Language::SOURCE);
    assert_eq!(all[1..], Language::translated().collect::<Vec<_>>());
    for language in all {
        assert_eq!(Language::of_tag(language.tag()), Some(language));
        assert!(!language.name().is_empty() && language.percent() <= 100);
    }
}

#[test]
fn variants_of_a_tag_name_the_same_language() {
    let of = |tag| Language::of_tag(tag).map(Language::tag);
    assert_eq!(of("en-GB"), Some("en"));
    assert_eq!(of("zh-Hans-CN"), of("zh-cn"));
    assert_eq!(of("ZH"), Some("zh-CN"));
    assert_eq!((of("fr"), of("")), (None, None));
}
