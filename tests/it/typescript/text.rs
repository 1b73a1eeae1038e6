//! The text of declarations.

/// The length up to which a union stays on one line.
const WIDTH: usize = 100;

/// A member of a union: its comment, and its type.
pub type Member = (Vec<String>, String);

pub fn interface(about: &[String], head: &str, fields: &str) -> String {
    in_comment("", about) + &format!("export interface {head} {{\n{fields}}}\n")
}

/// A union after `head`, its members below each other if it is long or has comments.
pub fn union(indent: &str, head: &str, members: &[Member]) -> String {
    let types: Vec<&str> = members.iter().map(|(_, of)| of.as_str()).collect();
    let line = format!("{indent}{head} {};\n", types.join(" | "));
    if members.iter().all(|(about, _)| about.is_empty()) && line.len() <= WIDTH {
        return line;
    }
    let inner = format!("{indent}    ");
    let lines = members
        .iter()
        .map(|(about, of)| format!("\n{}{inner}| {of}", in_comment(&inner, about)));
    format!("{indent}{head}{};\n", lines.collect::<String>())
}

pub fn in_comment(indent: &str, lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines = lines
                .iter()
                .map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n");
            format!("{indent}/**\n{}{indent} */\n", lines.collect::<String>())
        }
    }
}
