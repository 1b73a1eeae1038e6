//! Lines as tutorials print them: with the prompt of the author's terminal, and what it printed.

use super::Shell;

/// Signs with which shells prompt, each behind the place that it names, if any.
const SIGNS: [char; 5] = ['$', '#', '%', '➜', '❯'];

/// Pasted text as lines to run. If any line has a prompt, those without are the output of the one above, and are left
/// out; lines that continue a command stay.
pub fn pasted(text: &str) -> String {
    let text = text.replace('\u{a0}', " ");
    if text.lines().all(|line| without_prompt(line).is_none()) {
        return text;
    }
    let mut commands = String::new();
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        let Some(command) = without_prompt(line) else {
            // The command above it is complete.
            continue;
        };
        let mut unit = command.to_owned();
        while Shell::needs_more(unit.trim_end_matches('\n'))
            && let Some(more) = lines.next()
        {
            unit.push_str(more.strip_prefix("> ").unwrap_or(more));
        }
        commands.push_str(&unit);
    }
    let ends = text.ends_with('\n')
        || text
            .lines()
            .last()
            .is_some_and(|it| without_prompt(it).is_none());
    if ends && !commands.ends_with('\n') {
        commands.push('\n');
    }
    commands
}

/// The command behind a copied prompt, such as `$ `, `➜ `, `root@host:~# ` or `[root@host dir]# `; `None` without one. A
/// `#` alone begins a comment.
pub fn without_prompt(line: &str) -> Option<&str> {
    let line = line.trim_start_matches([' ', '\t']);
    let (place, command) = match line.strip_prefix('[') {
        Some(inner) => {
            let (place, rest) = inner.split_once(']')?;
            (place, rest.trim_start())
        }
        None => place_of(line),
    };
    let sign = command.chars().next().filter(|sign| SIGNS.contains(sign))?;
    if sign == '#' && !place.contains('@') {
        return None;
    }
    if !place.is_empty() && !place.contains('@') {
        return None;
    }
    let rest = command.get(sign.len_utf8()..)?;
    let command = rest.strip_prefix(' ')?.trim_start();
    Some(if sign == '➜' {
        behind_folder(command)
    } else {
        command
    })
}

/// `user@host:path` or `user@host path` in front of the sign; empty if the line has none.
fn place_of(line: &str) -> (&str, &str) {
    let first = line.split(' ').next().unwrap_or_default();
    if !first.contains('@') {
        return ("", line);
    }
    // `root@host:~#`: the sign is the last character of the word.
    let stem = first.trim_end_matches(SIGNS);
    let mut at = stem.len();
    if stem == first {
        let rest = line.get(first.len()..).unwrap_or_default();
        let sign = rest.find(|letter| SIGNS.contains(&letter));
        at += sign.unwrap_or(rest.len());
    }
    line.split_at(at)
}

/// oh-my-zsh names the folder, and what git says of it, behind the arrow.
fn behind_folder(command: &str) -> &str {
    let mut rest = command;
    loop {
        let word = rest.split(' ').next().unwrap_or_default();
        let is_place = word.starts_with(['~', '/']) || word.starts_with("git:(") || word == "✗";
        if !is_place {
            return rest;
        }
        rest = rest.get(word.len()..).unwrap_or_default().trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::{pasted, without_prompt};

    #[test]
    fn prompts_of_tutorials_are_left_out() {
        for line in [
            "$ kubectl get nodes",
            "    ➜ kubectl get nodes",
            "➜  ~ git:(master) ✗ kubectl get nodes",
            "[root@k8s-master1 tzhong]# kubectl get nodes",
            "[user@host ~]$ kubectl get nodes",
            "root@host:~# kubectl get nodes",
            "user@host:~/lab$ kubectl get nodes",
            "user@mac ~ % kubectl get nodes",
            "❯ kubectl get nodes",
        ] {
            assert_eq!(without_prompt(line), Some("kubectl get nodes"), "{line}");
        }
        for line in [
            "kubectl get nodes",
            "# kubectl get nodes",
            "#= node/n1",
            "[ -f a ] && echo $x",
            "$name",
            "echo user@host $ x",
            "echo 5 % 2",
            "ssh root@host",
            "",
        ] {
            assert_eq!(without_prompt(line), None, "{line}");
        }
    }

    #[test]
    fn output_between_pasted_commands_is_left_out() {
        let text = "$ kubectl get nodes\nNAME   STATUS\nnode1  Ready\n\n$ kubectl apply -f - <<EOF\n> kind: Pod\n> EOF\npod/a created\n";
        assert_eq!(
            pasted(text),
            "kubectl get nodes\nkubectl apply -f - <<EOF\nkind: Pod\nEOF\n"
        );
        let text = "[root@a b]# kubectl get pods \\\n  -o wide\nNAME";
        assert_eq!(pasted(text), "kubectl get pods \\\n  -o wide\n");
        // The last line is still to be run by Enter.
        assert_eq!(pasted("$ kubectl get pods"), "kubectl get pods");
        let plain = "kubectl get pods\n# a comment\nkubectl get nodes";
        assert_eq!(pasted(plain), plain);
    }
}
