//! The builtins: text, files, and programs that run programs.

use super::{complaint, printed, run};

/// Six lines: two before `Events:`, four from there on.
const DESCRIBED: &str =
    "printf 'Name: web\\nNode: n1\\nEvents:\\n  Pulled 3\\n  Assigned pod to node 4\\n  Last 5\\n'";

#[test]
fn base64_is_encoded_and_decoded() {
    for (script, stdout) in [
        ("echo -n admin | base64", "YWRtaW4=\n"),
        ("echo admin > f; base64 f", "YWRtaW4K\n"),
        ("echo -n admin | base64 -w0; echo", "YWRtaW4=\n"),
        ("echo -n admin | base64 --wrap 3", "YWR\ntaW\n4=\n"),
        ("echo -n '' | base64 | wc -c", "0\n"),
        ("seq 40 | base64 | head -1 | tr -d '\\n' | wc -c", "76\n"),
        ("echo YWRtaW4= | base64 -d", "admin"),
        ("printf 'YWRt\\naW4=\\n' | base64 --decode", "admin"),
        ("echo 'YW Rt!aW4=' | base64 -di", "admin"),
        ("seq 99 | base64 | base64 -D | tail -1", "99\n"),
        ("echo -n é | base64; echo YQ==YQ== | base64 -d", "w6k=\naa"),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
    for (text, stdout) in [
        ("YWRtaW4", "admin"),
        ("YWRta", "adm"),
        ("YWRt!aW4=", "adm"),
        ("YWRtaQ=", "admi"),
        ("YW Rt", "a"),
    ] {
        let output = run(&format!("echo '{text}' | base64 -d"));
        assert_eq!(output.stdout, stdout, "{text}");
        assert_eq!(output.stderr, "base64: invalid input\n", "{text}");
        assert_eq!(output.code, 1, "{text}");
    }
    for (script, stderr) in [
        ("base64 -w x", "base64: invalid wrap size: 'x'\n"),
        ("base64 a b", "base64: extra operand 'b'\n"),
    ] {
        assert_eq!(complaint(script), (stderr.to_owned(), 1), "{script}");
    }
}

#[test]
fn files_are_touched_copied_and_moved() {
    for (script, stdout) in [
        ("touch a b; echo x > a; touch a; ls; cat a", "a\nb\nx\n"),
        ("echo x > a; cp a b; cat a b", "x\nx\n"),
        ("echo x > a; mv a b; ls; cat b", "b\nx\n"),
        (
            "echo x > a; touch b; mkdir d; cp a b d; ls d; mv a d/c; ls",
            "a\nb\nb\nd/\n",
        ),
        (
            "mkdir -p d/e; touch d/a d/e/b; cp -r d x; ls x x/e; mv x d; ls d",
            "a\ne/\nb\na\ne/\nx/\n",
        ),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
    for (script, stderr) in [
        ("cp", "cp: missing file operand\n"),
        ("mv a", "mv: missing destination file operand after 'a'\n"),
        ("touch", "touch: missing file operand\n"),
        ("cp a b", "cp: cannot stat 'a': No such file or directory\n"),
        ("touch a; cp a a", "cp: 'a' and 'a' are the same file\n"),
        (
            "mkdir a; cp a b",
            "cp: -r not specified; omitting directory 'a'\n",
        ),
        (
            "mkdir a; touch b; mv a b",
            "mv: cannot overwrite non-directory 'b' with directory 'a'\n",
        ),
        (
            "mkdir a; cp -r a a",
            "cp: cannot copy a directory, 'a', into itself, 'a/a'\n",
        ),
        ("touch a b; cp a b c", "cp: target 'c' is not a directory\n"),
    ] {
        assert_eq!(complaint(script), (stderr.to_owned(), 1), "{script}");
    }
}

#[test]
fn programs_run_programs() {
    for (script, stdout) in [
        (
            "sudo status; sudo -u root -E env X=1 printenv X",
            "up 0s\n1\n",
        ),
        (
            "X=2; env X=1 Y=3 bash -c 'echo $X $Y'; echo $X $Y",
            "1 3\n2\n",
        ),
        ("X=1 env", "HOME=/home/berth\nPWD=/home/berth\nX=1\n"),
        (
            "which status cat none; echo $?",
            "/usr/local/bin/status\n/usr/bin/cat\n1\n",
        ),
        (
            "command -v status && command echo a",
            "/usr/local/bin/status\na\n",
        ),
        (
            "echo 'echo $1-$2; X=3; exit 4; echo no' > f; chmod +x f; ./f a b; echo $? $X",
            "a-b\n4\n",
        ),
        (
            "X=1; mkdir d; sh -ec 'X=2; cd d'; echo $X; pwd",
            "1\n/home/berth\n",
        ),
        (
            "echo 'cat; read L' > f; echo in | bash f; echo echo b | bash",
            "in\nb\n",
        ),
        ("seq 3 | less -R", "1\n2\n3\n"),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
    let nested = format!("{}true", "sudo ".repeat(200));
    let too_deep = "bash: commands are nested too deeply\n".to_owned();
    assert_eq!(complaint(&nested), (too_deep.clone(), 1));
    assert_eq!(complaint("echo ./f > f; ./f"), (too_deep, 1));
    let missing = "bash: nope: command not found\n".to_owned();
    assert_eq!(complaint("sudo nope"), (missing, 127));
    let why = "bash: nope.sh: No such file or directory\n".to_owned();
    assert_eq!(complaint("bash nope.sh"), (why, 127));
}

#[test]
fn lines_are_sorted_and_counted_by_flags() {
    for (script, stdout) in [
        (
            "printf '5Gi\n10Mi\n2000Ki\n0\n-1Gi\n3\n' | sort -h | tr '\\n' ' '",
            "-1Gi 0 3 2000Ki 10Mi 5Gi ",
        ),
        (
            "printf 'x 1Mi\ny 2Gi\nz 3Ki\n' | sort -k2hr",
            "y 2Gi\nx 1Mi\nz 3Ki\n",
        ),
        ("printf 'b\nA\na\n' | sort -f", "A\na\nb\n"),
        ("printf 'b\nA\na\n' | sort -r", "b\na\nA\n"),
        ("printf 'a\nA\nb\n' | uniq -ic", "      2 a\n      1 b\n"),
        ("printf 'a:b\nc\n' | cut -s -d: -f2", "b\n"),
        (
            "printf 'a\nb\n' > x; seq 12 > y; wc -l x y; wc x y",
            " 2 x\n12 y\n14 total\n 2  2  4 x\n12 12 27 y\n14 14 31 total\n",
        ),
        ("> x; > y; ls -r", "y\nx\n"),
    ] {
        assert_eq!(printed(script), stdout, "{script}");
    }
}

#[test]
fn awk_has_its_usual_one_liners() {
    for (program, stdout) in [
        ("'{print $1}' | head -2", "Name:\nNode:\n"),
        (
            "'/pod to/ {print}; NR==1'",
            "Name: web\n  Assigned pod to node 4\n",
        ),
        ("'NR==2{print $NF}'", "n1\n"),
        (
            "'NR>1 && $2 != \"n1\" && NF > 1 {print $2\"-\"NR}'",
            "3-4\npod-5\n5-6\n",
        ),
        ("'$1 ~ /^P/ {print NF, $0}'", "2   Pulled 3\n"),
        ("'$1 !~ /:$/ && !/pod/ {print $9 $2}'", "3\n5\n"),
        ("-F: '$1 == \"Node\" {print $2}'", " n1\n"),
        ("'END {print NR}' 2>/dev/null || echo no", "no\n"),
        ("'{s += $2}' 2>/dev/null || echo no", "no\n"),
        ("'{print $1' 2>/dev/null || echo no", "no\n"),
    ] {
        let script = format!("{DESCRIBED} | awk {program}");
        assert_eq!(printed(&script), stdout, "{program}");
    }
}

#[test]
fn sed_has_lines_and_ranges() {
    for (program, stdout) in [
        (
            "-n '/Events:/,/pod to/p'",
            "Events:\n  Pulled 3\n  Assigned pod to node 4\n",
        ),
        ("-n '2,3p'", "Node: n1\nEvents:\n"),
        ("'1,5d'", "  Last 5\n"),
        ("-n '$p'", "  Last 5\n"),
        ("'/Node/,$d; s/web/db/'", "Name: db\n"),
        ("'/Events/,1d' | wc -l", "5\n"),
    ] {
        let script = format!("{DESCRIBED} | sed {program}");
        assert_eq!(printed(&script), stdout, "{program}");
    }
    assert_eq!(printed("echo aa > f; sed s/a/b/g -i f; cat f"), "bb\n");
}

#[test]
fn time_and_watch_read_the_clock() {
    let output = run("time sleep 75; status");
    assert_eq!(output.stdout, "up 75s\n");
    let stderr = "\nreal\t1m15.000s\nuser\t0m0.000s\nsys\t0m0.000s\n";
    assert_eq!(output.stderr, stderr);
    let stdout = printed("watch -n 30 echo on; status");
    assert_eq!(stdout, "Every 30.0s: echo on    +0s\n\non\n\nup 60s\n");
    assert!(complaint("time").0.contains("real\t0m0.000s"));
    assert_eq!(complaint("watch -x ls").1, 2);
}

#[test]
fn numbers_are_printed_in_columns() {
    assert_eq!(
        printed("printf '%03d|%-4s|%4s|\\n' 7 a b"),
        "007|a   |   b|\n"
    );
    assert_eq!(complaint("printf %x 7").1, 2);
}
