fn main() {
    let path = std::env::args().nth(2).unwrap_or_default();
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let mut session = berth::session::Session::new(berth::session::Options {
        first_on_ties: true,
        seed: 1,
        expand_workloads: false,
    });
    session.apply(&[berth::api::source::SourceFile::new(path.as_str(), text)]);
    for problem in session.problems() {
        eprintln!("{problem:?}");
    }
    match session.trace(&path) {
        Ok(trace) => println!("{trace}"),
        Err(error) => eprintln!("{error}"),
    }
}
