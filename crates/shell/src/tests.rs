//! Lines as bash reads them, on a host with files and a clock.

mod programs;

use std::collections::BTreeMap;

use super::{Call, Files, Host, Lacks, OpenRequest, Output, Poll, Ran, Shell, Waiting};

/// Files, a clock, and a program `status` that prints how many seconds have passed.
#[derive(Default)]
struct Machine {
    files: BTreeMap<String, String>,
    now_ms: i64,
}

impl Files for Machine {
    fn file(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn write_file(&mut self, path: &str, text: String) {
        self.files.insert(path.to_owned(), text);
    }

    fn files(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn remove_file(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }
}

impl Host for Machine {
    fn now_ms(&self) -> i64 {
        self.now_ms
    }

    fn date_ms(&self) -> i64 {
        // 2025-01-01
        1_735_689_600_000 + self.now_ms
    }

    fn programs(&self) -> &[&'static str] {
        &["status"]
    }

    fn run_program(&mut self, call: Call<'_>) -> Option<Ran> {
        let seconds = self.now_ms / 1_000;
        (call.program == "status").then(|| Ran::Done(Output::text(format!("up {seconds}s\n"))))
    }

    fn edited(&mut self, _: &OpenRequest, text: &str) -> Output {
        Output::text(format!("edited: {text}"))
    }

    fn wait(&mut self, mut waiting: Waiting, _: bool) -> Ran {
        let mut output = Output::default();
        while let Poll::Pending(until_ms) = waiting.poll(self, &mut output) {
            self.now_ms = until_ms;
        }
        Ran::Done(output)
    }
}

/// What a script prints, and its exit code.
fn run(script: &str) -> Output {
    Shell::default().run(script, &mut Machine::default())
}

/// What a script prints on standard output; it prints nothing else.
#[track_caller]
fn printed(script: &str) -> String {
    let output = run(script);
    assert_eq!(output.stderr, "", "{script}");
    output.stdout
}

/// The standard error of a script, and its exit code.
fn complaint(script: &str) -> (String, i32) {
    let output = run(script);
    (output.stderr, output.code)
}

#[test]
fn words_are_quoted_and_expanded() {
    for (script, stdout) in [
        ("echo a  'b  c' \"d  e\" f\\ g", "a b  c d  e f g\n"),
        (
            "X=1; Y=\"$X 2\"; echo $X ${Y} \"$Y\" '$X' \\$X",
            "1 1 2 1 2 $X $X\n",
        ),
        ("echo ${NONE:-other} \"${NONE}\" end", "other  end\n"),
        ("echo $(echo a; echo b) \"$(echo a; echo b)\"", "a b a\nb\n"),
        ("echo `echo x` $((2 * (3 + 4)))", "x 14\n"),
        ("for i in {1..3} x; do echo -n $i,; done", "1,2,3,x,"),
        ("echo a # b\necho c\\\nd", "a\ncd\n"),
        ("echo {.items[*].name} a{b,c}", "{.items[*].name} ab ac\n"),
        (
            "false || echo no && echo yes; true && echo well",
            "no\nyes\nwell\n",
        ),
        (
            "if [ 2 -gt 1 ]; then echo more; else echo less; fi",
            "more\n",
        ),
        (
            "i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done",
            "1\n2\n3\n",
        ),
        ("(X=2; echo $X); echo \"[$X]\"", "2\n[]\n"),
        ("alias e='echo -n hello'; e world", "hello world"),
        ("! false; echo $?", "0\n"),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
}

#[test]
fn patterns_trim_values() {
    for (expansion, value) in [
        ("${X%-*}", "web-abc"),
        ("${X%%-*}", "web"),
        ("${X#*-}", "abc-déf"),
        ("${X##*-}", "déf"),
        ("${X%nothing}", "web-abc-déf"),
    ] {
        let script = format!("X=web-abc-déf; echo \"{expansion}\"");
        assert_eq!(printed(&script), format!("{value}\n"), "{expansion}");
    }
    let (complaint, code) = complaint("echo ${X^^}");
    assert_eq!(
        (complaint.as_str(), code),
        ("bash: ${X^^}: bad substitution\n", 1)
    );
}

#[test]
fn conditions_in_double_brackets() {
    for (condition, is_so) in [
        ("1 == 1", true),
        ("abc == a*", true),
        ("abc == \"a*\"", false),
        ("abc != a*", false),
        ("-z \"$NONE\"", true),
        ("! -n $NONE", true),
        ("2 -gt 1", true),
        ("web-12 =~ ^web-[0-9]+$", true),
        ("web-x =~ ^web-[0-9]+$", false),
        ("word", true),
    ] {
        let script = format!("if [[ {condition} ]]; then echo yes; else echo no; fi");
        let wanted = if is_so { "yes\n" } else { "no\n" };
        assert_eq!(printed(&script), wanted, "{condition}");
    }
    assert_eq!(complaint("[[ x -gt 1 ]]").1, 2);
    assert_eq!(complaint("[[ a == b c ]]").1, 2);
    let why = "bash: [[ … && … ]]: not simulated here: write [[ … ]] && [[ … ]]\n";
    assert_eq!(complaint("[[ a == b && c ]]"), (why.to_owned(), 2));
    assert!(Shell::needs_more("[[ a == b"));
}

#[test]
fn lines_are_read_one_by_one() {
    for (script, stdout) in [
        (
            "printf 'a 1\\nb 2 3\\n' | while read name rest; do echo \"$name=$rest\"; done",
            "a=1\nb=2 3\n",
        ),
        (
            "while read -r line; do echo \"<$line>\"; done <<< 'x  y'",
            "<x  y>\n",
        ),
        (
            "while read x; do echo $x; done < <(echo 1; echo 2)",
            "1\n2\n",
        ),
        ("echo one | read X; echo $X", "one\n"),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
}

#[test]
fn files_are_sourced_and_commands_read_as_files() {
    for (script, stdout) in [
        ("echo 'X=5; alias e=echo' > f; source f; e $X; . ./f", "5\n"),
        ("cat <(echo one) <(echo two)", "one\ntwo\n"),
        ("source ~/.bashrc; echo $?", "0\n"),
        ("source <(echo X=6); echo $X; complete -F x kubectl", "6\n"),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
    let missing = "bash: nothing.sh: No such file or directory\n".to_owned();
    assert_eq!(complaint("source nothing.sh"), (missing, 1));
}

#[test]
fn text_goes_through_pipes_and_files() {
    for (script, stdout) in [
        ("cat <<EOF\na $((1+1))\n  b\nEOF\necho c", "a 2\n  b\nc\n"),
        ("X=1; cat <<'EOF' | grep -v b\n$X\nb\nEOF", "$X\n"),
        ("cat <<-EOF\n\ta\n\tEOF", "a\n"),
        ("cat > f <<EOF\none\ntwo\nEOF\ncat f | wc -l; ls", "2\nf\n"),
        ("echo a > f; echo b >> f; cat < f; rm f; ls", "a\nb\n"),
        ("nope 2>/dev/null || echo $?", "127\n"),
        (
            "nope > all 2>&1; cat all",
            "bash: nope: command not found\n",
        ),
        (
            "printf 'a 3\\nb 1\\n' | sort -k2 -n | awk '{print $2\"-\"$1}'",
            "1-b\n3-a\n",
        ),
        ("printf 'x\\nx\\ny\\n' | uniq -c | head -1", "      2 x\n"),
        ("seq 4 | head -n -3; seq 4 | tail -n -1", "1\n4\n"),
        ("echo a:b:c | cut -d: -f1,3", "a:c\n"),
        (
            "printf 'a1\\nB2\\nc3\\n' | grep -i -E '^(a|b)' | tail -n 1",
            "B2\n",
        ),
        (
            "printf '1\\n2\\n3\\n4\\n' | grep -A1 -B1 2 | tr '\\n' ' '",
            "1 2 3 ",
        ),
        (
            "echo aaa | sed 's/a/b/g;'; echo 'x/y' | sed 's#/#-#'",
            "bbb\nx-y\n",
        ),
        (
            "printf 'kind: A\nn: 1\nm: 2\n' | sed -e 's/A/B/' -e '/^n:/d' -e 's/2/;/; s/;/3/'",
            "kind: B\nm: 3\n",
        ),
        ("echo a | sed 's/a/b/x' 2>/dev/null || echo no", "no\n"),
        ("printf 'b 1\na 2\nc 1\n' | sort -u -k2 -n", "b 1\na 2\n"),
        ("printf 'b\na\nb\n' | sort -u -r", "b\na\n"),
        (
            "mkdir d; [ -e d ] && echo e; [ -f d ] || echo f; [ -d d ] && echo d",
            "e\nf\nd\n",
        ),
        (
            "> f; [ -s f ] || echo empty; echo a > f; [ -s f ] && echo full",
            "empty\nfull\n",
        ),
        (
            "mkdir d; cd d; echo x > f; pwd; cd ..; ls d; cat d/f",
            "/home/berth/d\nf\nx\n",
        ),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
}

#[test]
fn errors_match_bash() {
    for (script, stderr, code) in [
        ("foo", "bash: foo: command not found\n", 127),
        (
            "jq .",
            "bash: jq: command not found: it is not simulated here; kubectl get -o jsonpath='{…}' selects fields\n",
            127,
        ),
        (
            "echo )",
            "bash: syntax error near unexpected token `)'\n",
            2,
        ),
        (
            "echo 'a",
            "bash: unexpected EOF while looking for matching `''\n",
            2,
        ),
        (
            "for i in 1; do",
            "bash: syntax error: unexpected end of file\n",
            2,
        ),
        (
            "cat nowhere",
            "cat: nowhere: No such file or directory\n(files here: none)\n",
            1,
        ),
        (
            "cat < nowhere",
            "bash: nowhere: No such file or directory\n",
            1,
        ),
        ("exit 3", "", 3),
        ("sort -V", "sort: option -V is not simulated here\n", 2),
        ("sort -k1,1b", "sort: option -b is not simulated here\n", 2),
        ("cat -A", "cat: option -A is not simulated here\n", 2),
        ("ls -R", "ls: option -R is not simulated here\n", 2),
    ] {
        assert_eq!(complaint(script), (stderr.to_owned(), code), "{script}");
    }
}

#[test]
fn incomplete_lines_need_more() {
    for open in [
        "echo 'a",
        "cat <<EOF\nx",
        "a |",
        "a &&",
        "for i in 1",
        "a \\\n",
        "echo $(x",
        "if true; then",
    ] {
        assert!(Shell::needs_more(open), "{open}");
    }
    for closed in [
        "echo a",
        "",
        "cat <<EOF\nx\nEOF",
        "for i in 1; do a; done",
        ")",
        "# 'x",
    ] {
        assert!(!Shell::needs_more(closed), "{closed}");
    }
}

#[test]
fn time_is_virtual() {
    let stdout = printed("date +%H:%M:%S; sleep 1m; date +%H:%M:%S");
    assert_eq!(stdout, "00:00:00\n00:01:00\n");
}

#[test]
fn endless_loops_stop() {
    let (stderr, code) = complaint("while true; do true; done");
    assert_eq!(code, 1, "{stderr}");
    let (_, code) = complaint("alias a=b; alias b=a; a");
    assert_eq!(code, 127);
}

#[test]
fn jobs_in_the_background_have_numbers_and_ends() {
    let (mut shell, mut machine) = (Shell::default(), Machine::default());
    let output = shell.run(
        "false & echo $?; for i in 1 2; do echo $i & done; wait; echo $?",
        &mut machine,
    );
    assert_eq!(output.stdout, "0\n1\n2\n0\n");
    assert_eq!(output.stderr, "[1] 4218\n[2] 4225\n[3] 4232\n");
    let output = shell.run("false & wait $!; echo $? $!", &mut machine);
    assert_eq!(output.stdout, "1 4239\n");
    assert_eq!(output.stderr, "[1] 4239\n");
    let output = shell.run("wait 7", &mut machine);
    let ended = (output.stderr.as_str(), output.code);
    assert_eq!(
        ended,
        ("bash: wait: pid 7 is not a child of this shell\n", 127)
    );
}

#[test]
fn arithmetic_expands() {
    for (script, stdout) in [
        (
            "i=5; echo $((i+1)) $((i - 2 * 3)) $(( (i+1)*-2 ))",
            "6 -1 -12\n",
        ),
        (
            "echo $((-7 % 4)) $((10/3)) $(($(echo 2)+$NONE 3))",
            "-3 3 5\n",
        ),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
    for (script, stderr) in [
        (
            "echo $((1 / 0)); echo on",
            "bash: 1 / 0: division by 0 (error token is \"\")\n",
        ),
        (
            "echo $((1 +))",
            "bash: 1 +: syntax error: operand expected (error token is \"\")\n",
        ),
        (
            "echo $((i++))",
            "bash: i++: syntax error: operand expected (error token is \"\")\n",
        ),
        (
            "echo $((1 < 2))",
            "bash: 1 < 2: \"< 2\" is not simulated here: only + - * / % and brackets are\n",
        ),
    ] {
        assert_eq!(complaint(script).0, stderr, "{script}");
    }
}

#[test]
fn unsupported_syntax_is_reported() {
    for (script, stderr, code) in [
        (
            "for ((i=0; i<3; i++)); do echo $i; done",
            "bash: for ((…)): not simulated here: write for NAME in $(seq 1 3)\n",
            2,
        ),
        (
            "((i++))",
            "bash: ((…)): not simulated here: write NAME=$((…)) or [ … ]\n",
            2,
        ),
        (
            "f() { echo; }",
            "bash: NAME (): not simulated here: write an alias\n",
            2,
        ),
        (
            "x=(1 2); echo ${x[0]}",
            "bash: NAME=(…): not simulated here: write NAME='A B' and for X in $NAME\n",
            2,
        ),
        (
            "x+=(3)",
            "bash: NAME=(…): not simulated here: write NAME='A B' and for X in $NAME\n",
            2,
        ),
        (
            "echo ${x[@]}",
            "bash: ${x[@]}: not simulated here: write NAME='A B' and for X in $NAME\n",
            1,
        ),
        ("seq 1 0 3", "seq: invalid Zero increment value: '0'\n", 1),
        (
            "case a in a) echo;; esac",
            "bash: case: not simulated here: write if … elif … fi\n",
            2,
        ),
        (
            "let i=1",
            "bash: let: not simulated here: write NAME=$((…))\n",
            1,
        ),
        (
            "kill 7",
            "bash: kill: not simulated here: a command with & has ended before the next one begins\n",
            1,
        ),
        (
            "awk '{printf}' <<< a",
            "awk: \"{printf}\": only PATTERN {print …} is simulated here\n",
            2,
        ),
        (
            "awk '{if ($1) print}' <<< a",
            "awk: \"{if ($1) print}\": only PATTERN {print …} is simulated here\n",
            2,
        ),
        (
            "sed y/a/b/ <<< a",
            "sed: \"y/a/b/\": only s/A/B/, d and p with lines or ranges before them are simulated here\n",
            2,
        ),
    ] {
        assert_eq!(complaint(script), (stderr.to_owned(), code), "{script}");
    }
}

#[test]
fn growing_texts_end_with_a_message() {
    let lines = |line: &str, count: usize| vec![line; count].join("\n");
    for (script, why) in [
        (format!("a=xx\n{}\necho end", lines("a=$a$a", 40)), "16 MiB"),
        (
            format!("echo x > f\n{}", lines("cat f f > g; cat g > f", 40)),
            "No space left",
        ),
        (
            format!("a=xx\n{}\nx=$(echo $a $a $a $a)", lines("a=$a$a", 22)),
            "16 MiB",
        ),
        (
            format!(
                "a=xx\n{}\necho \"$a\" | sed \"s/x/$a/g\" | wc -c",
                lines("a=$a$a", 14)
            ),
            "16 MiB",
        ),
        (
            format!(
                "a=xx\n{}\necho $a | awk '{{print {}}}'",
                lines("a=$a$a", 14),
                "$0".repeat(999)
            ),
            "16 MiB",
        ),
        (
            format!("a=xx\n{}\nprintf \"$a%s\" {{1..9999}}", lines("a=$a$a", 14)),
            "16 MiB",
        ),
        (
            format!(
                "a=xx\n{}\nfor i in {{1..9999}}; do export \"v$i=$a\"; done",
                lines("a=$a$a", 16)
            ),
            "16 MiB",
        ),
        (
            format!(
                "a=xx\n{}\nfor i in {{1..9999}}; do echo \"$a\" > f; cat f > g; done",
                lines("a=$a$a", 18)
            ),
            "too much output",
        ),
        (
            format!("a=xx\n{}\necho ${{a%y*z}}", lines("a=$a$a", 18)),
            "long values",
        ),
    ] {
        let output = run(&script);
        let complaint = output.stderr.lines().last().unwrap_or_default();
        let begin: String = script.chars().take(40).collect();
        assert!(output.stderr.contains(why), "{begin}: {complaint}");
    }
}

#[test]
fn long_texts_below_the_limits_stay_whole() {
    let grow = vec!["a=$a$a"; 20].join("\n");
    assert_eq!(
        printed(&format!("a=xxxx\n{grow}\necho $a | wc -c")),
        "4194305\n"
    );
    assert_eq!(
        printed("for i in {1..5000}; do echo $i >> f; done; wc -l < f"),
        "5000\n"
    );
    assert_eq!(
        printed("a=$(seq 9999); echo ${a%9999}end | wc -w"),
        "9999\n"
    );
}

#[test]
fn a_here_document_names_the_line_that_ends_it() {
    let lacks = Shell::lacks("cat <<-EOF\na: 'b").unwrap();
    assert_eq!(lacks, Lacks::Line("EOF".to_owned()));
    assert!(lacks.may_end_with("\tEOF") && !lacks.may_end_with("EOF2"));
    assert_eq!(Shell::lacks("echo 'a"), Some(Lacks::More));
    assert_eq!(Shell::lacks("cat <<EOF\na: 'b\nEOF"), None);
}
