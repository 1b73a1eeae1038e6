//! Lines as bash reads them, on a cluster without kubectl's part in it.

use super::Shell;
use crate::base::random::Random;
use crate::kubectl::tests::cluster::TestCluster;

fn shell() -> (Shell, TestCluster) {
    (Shell::default(), TestCluster::with_nodes(&["n1", "n2"]))
}

/// What a script prints on standard output.
fn said(script: &str) -> String {
    let (mut shell, mut cluster) = shell();
    let output = shell.run(script, &mut cluster);
    assert_eq!(output.stderr, "", "{script}");
    output.stdout
}

/// What a script complains of, and its exit code.
fn complaint(script: &str) -> (String, i32) {
    let (mut shell, mut cluster) = shell();
    let output = shell.run(script, &mut cluster);
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
        assert_eq!(said(script), stdout, "{script}");
    }
}

#[test]
fn values_are_cut_replaced_and_counted() {
    for (expansion, value) in [
        ("${X%-*}", "web-abc"),
        ("${X%%-*}", "web"),
        ("${X#*-}", "abc-déf"),
        ("${X##*-}", "déf"),
        ("${X%nothing}", "web-abc-déf"),
        ("${#X}", "11"),
        ("${X/-/_}", "web_abc-déf"),
        ("${X//-/}", "webabcdéf"),
        ("${X//[x]/}", "web-abc-déf"),
        ("${X:+set}", "set"),
        ("${NONE:+set}", ""),
    ] {
        let script = format!("X=web-abc-déf; echo \"{expansion}\"");
        assert_eq!(said(&script), format!("{value}\n"), "{expansion}");
    }
    let (complaint, code) = complaint("echo ${X^^}");
    assert_eq!(
        (complaint.as_str(), code),
        ("bash: ${X^^}: bad substitution\n", 2)
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
        ("2 -gt 1 && a < b", true),
        ("1 -gt 2 || ( a == a && ! b == c )", true),
        ("web-12 =~ ^web-[0-9]+$", true),
        ("web-x =~ ^web-[0-9]+$", false),
        ("word", true),
    ] {
        let script = format!("if [[ {condition} ]]; then echo yes; else echo no; fi");
        let wanted = if is_so { "yes\n" } else { "no\n" };
        assert_eq!(said(&script), wanted, "{condition}");
    }
    assert_eq!(complaint("[[ x -gt 1 ]]").1, 2);
    assert_eq!(complaint("[[ a == b c ]]").1, 2);
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
        assert_eq!(said(script), stdout, "{script}");
    }
}

#[test]
fn files_are_sourced_and_commands_read_as_files() {
    for (script, stdout) in [
        ("echo 'X=5; alias e=echo' > f; source f; e $X; . ./f", "5\n"),
        ("cat <(echo one) <(echo two)", "one\ntwo\n"),
        ("source ~/.bashrc; echo $?", "0\n"),
        (
            "source <(kubectl completion bash); complete -F x kubectl",
            "",
        ),
    ] {
        assert_eq!(said(script), stdout, "{script}");
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
        ("echo a b | xargs -n1 echo got", "got a\ngot b\n"),
        (
            "mkdir d; cd d; echo x > f; pwd; cd ..; ls d; cat d/f",
            "/home/berth/d\nf\nx\n",
        ),
    ] {
        assert_eq!(said(script), stdout, "{script}");
    }
}

#[test]
fn what_is_wrong_is_said_as_bash_does() {
    for (script, stderr, code) in [
        ("foo", "bash: foo: command not found\n", 127),
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
            "cat: nowhere: No such file or directory\n(there are no files here)\n",
            1,
        ),
        (
            "cat < nowhere",
            "bash: nowhere: No such file or directory\n",
            1,
        ),
        ("exit 3", "", 3),
    ] {
        assert_eq!(complaint(script), (stderr.to_owned(), code), "{script}");
    }
}

#[test]
fn open_lines_want_more() {
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
    let stdout = said("date +%H:%M:%S; sleep 1m; date +%H:%M:%S");
    assert_eq!(stdout, "00:00:00\n00:01:00\n");
}

#[test]
fn loops_without_end_stop() {
    let (stderr, code) = complaint("while true; do true; done");
    assert_eq!(code, 1, "{stderr}");
    let (_, code) = complaint("alias a=b; alias b=a; a");
    assert_eq!(code, 127);
}

#[test]
fn words_are_completed() {
    let (mut shell, mut cluster) = shell();
    shell.run("alias k=kubectl; echo > app.yaml", &mut cluster);
    let complete = |line: &str| shell.complete(line, line.len(), &cluster);
    assert_eq!(complete("kubec"), ["kubectl"]);
    assert_eq!(complete("kubectl rollout u"), ["undo"]);
    assert_eq!(complete("k cordon n"), ["n1", "n2"]);
    assert_eq!(complete("kubectl label nodes n"), ["n1", "n2"]);
    assert_eq!(complete("kubectl delete node/n2"), ["node/n2"]);
    assert_eq!(complete("kubectl apply -f a"), ["app.yaml"]);
    assert_eq!(complete("kubectl get po"), ["poddisruptionbudgets", "pods"]);
    assert_eq!(complete("kubectl scale --rep"), ["--replicas="]);
    assert_eq!(complete("echo x | gre"), ["grep"]);
}

/// Pieces between bars.
const PIECES: &str = "\
kubectl¦get¦apply¦delete¦label¦taint¦nodes¦n1¦-f¦-¦--¦=¦'¦\"¦$¦$(¦)¦(¦${¦}¦{¦{1..3}¦\
`¦\\¦|¦||¦&&¦&¦;¦>¦>>¦<¦<<EOF¦EOF¦<<<¦2>&1¦\n¦ ¦ ¦ ¦ ¦for¦i¦in¦do¦done¦if¦then¦fi¦\
while¦grep¦-v¦awk¦{print $1}¦sed¦s/a/b/¦sort¦head¦-n¦1¦xargs¦echo¦cat¦sleep¦0¦é¦\t¦*¦\
?¦~¦[¦]¦!¦-o¦jsonpath={.a[?(@.b)]}¦wait¦rollout¦run¦--image=x¦patch¦-p¦\
{\"spec\":null}¦set¦image¦a=b¦k-¦$((¦1/0¦))¦tr¦cut¦-d¦date¦+%Q¦watch¦test¦-eq¦create¦\
deploy";

/// Random lines made of what means something: nothing panics, everything ends.
#[test]
fn no_line_panics() {
    let pieces: Vec<&str> = PIECES.split('¦').collect();
    let mut random = Random::new(17);
    let (mut shell, cluster) = shell();
    for round in 0..3_000_u64 {
        let mut cluster = cluster.clone();
        let count = random.below(14) + 1;
        let mut line = String::new();
        for _ in 0..count {
            let piece = usize::try_from(random.below(pieces.len() as u64)).unwrap();
            line.push_str(pieces[piece]);
            if random.below(3) > 0 {
                line.push(' ');
            }
        }
        if round % 50 == 0 {
            shell = Shell::default();
        }
        let _ = Shell::needs_more(&line);
        let _ = shell.complete(&line, line.len() / 2, &cluster);
        let _ = shell.run(&line, &mut cluster);
    }
}

#[test]
fn integers_are_reckoned_with() {
    for (script, stdout) in [
        (
            "for ((i=0; i<3; i++)); do echo -n $i,; done; echo $i",
            "0,1,2,3\n",
        ),
        (
            "for ((i = 6, n = 2; i > 0; i -= n))\ndo\n  echo -n $i\ndone",
            "642",
        ),
        ("for ((i=0; i<9; i++)) do echo -n x; done", "xxxxxxxxx"),
        ("i=0; while ((i < 2)); do ((i++)); echo -n $i; done", "12"),
        ("((1 > 2)) || echo no; ((2 > 1)) && echo yes", "no\nyes\n"),
        ("if ((3 == 3 && !(2 >= 3))); then echo so; fi", "so\n"),
        ("i=5; echo $((i++)) $((++i)) $i $((i--)) $i", "5 7 7 7 6\n"),
        (
            "a=2; b=; echo $((a * (${a} + $a) - b)) $((b = 4)) $b",
            "8 4 4\n",
        ),
        (
            "echo $((1 ? 2 : 3)) $((0 || 0)) $((-7 % 4)) $((10/3)) $((7-2*3))",
            "2 0 -3 3 1\n",
        ),
        // What does not count does not happen.
        ("i=0; ((0 && i++)); ((1 || (i = 9))); echo $i", "0\n"),
        ("((echo a); echo b) && (echo c)", "a\nb\nc\n"),
        ("let i=2+3 'j = i * 2'; echo $i $j", "5 10\n"),
        ("n=$(echo 4); echo $(( $(echo 2) + n ))", "6\n"),
    ] {
        assert_eq!(said(script), stdout, "{script}");
    }
    for (script, stderr) in [
        (
            "((1 +))",
            "bash: ((: 1 +: syntax error: operand expected (error token is \"\")\n",
        ),
        (
            "((1 / 0))",
            "bash: ((: 1 / 0: division by 0 (error token is \"\")\n",
        ),
        (
            "for ((i=0; i<3)); do echo; done",
            "bash: syntax error: arithmetic expression required\n",
        ),
        (
            "((2 2))",
            "bash: ((: 2 2: syntax error in expression (error token is \"2\")\n",
        ),
    ] {
        assert_eq!(complaint(script).0, stderr, "{script}");
        assert_ne!(complaint(script).1, 0, "{script}");
    }
    let (said, code) = complaint("for ((;;)); do true; done");
    assert_eq!(
        (said.as_str(), code),
        ("bash: stopped after too many commands\n", 1)
    );
}

#[test]
fn jobs_in_the_background_have_numbers_and_ends() {
    let (mut shell, mut cluster) = shell();
    let output = shell.run(
        "false & echo $?; for i in 1 2; do echo $i & done; wait; echo $?",
        &mut cluster,
    );
    assert_eq!(output.stdout, "0\n1\n2\n0\n");
    assert_eq!(output.stderr, "[1] 4218\n[2] 4225\n[3] 4232\n");
    let output = shell.run("false & wait $!; echo $? $!; jobs; kill $!", &mut cluster);
    assert_eq!(output.stdout, "1 4239\n");
    assert_eq!(
        output.stderr,
        "[1] 4239\nbash: kill: (4239) - No such process\n"
    );
    let output = shell.run("wait 7", &mut cluster);
    let said = (output.stderr.as_str(), output.code);
    assert_eq!(
        said,
        ("bash: wait: pid 7 is not a child of this shell\n", 127)
    );
}
