//! `kubectl annotate`: `kubectl label` for annotations.

use super::label::{FLAGS, Marks, run};
use crate::call::Verb;

pub(crate) const ANNOTATE: Verb = Verb {
    name: "annotate",
    about: "Update the annotations on a resource",
    usage: "annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N",
    examples: &["kubectl annotate pods web-0 description='my frontend'"],
    flags: FLAGS,
    run: |call, cluster| run(call, cluster, &Marks::ANNOTATIONS),
};
