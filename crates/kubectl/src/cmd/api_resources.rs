//! `kubectl api-resources` and `api-versions`.

use crate::arguments::Flag;
use crate::call::{Call, Done, Verb};
use crate::kinds::{KINDS, KindInfo};
use crate::printers::rows::Rows;
use crate::{Cluster, Output};

pub(crate) const API_RESOURCES: Verb = Verb {
    name: "api-resources",
    about: "Print the supported API resources on the server",
    usage: "api-resources [--namespaced] [--api-group=GROUP] [-o wide|name]",
    examples: &[
        "kubectl api-resources",
        "kubectl api-resources --api-group=apps -o wide",
    ],
    flags: &[
        Flag::word("output").short('o'),
        Flag::switch("namespaced"),
        Flag::word("api-group"),
        Flag::switch("no-headers"),
        Flag::word("sort-by"),
        Flag::words("verbs"),
        Flag::words("categories"),
        Flag::switch("cached"),
    ],
    run: resources,
};

pub(crate) const API_VERSIONS: Verb = Verb {
    name: "api-versions",
    about: "Print the supported API versions on the server, in the form of \"group/version\"",
    usage: "api-versions",
    examples: &["kubectl api-versions"],
    flags: &[],
    run: versions,
};

/// The verbs that every kind supports.
const VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

fn resources(call: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let arguments = &call.arguments;
    if !arguments.words.is_empty() {
        let words = arguments.words.join(" ");
        return Err(format!(
            "error: unexpected arguments: [{words}]\nSee 'kubectl api-resources -h' for help and examples"
        ));
    }
    if !matches!(arguments.word("sort-by"), None | Some("" | "name" | "kind")) {
        return Err("error: --sort-by accepts only name or kind".to_owned());
    }
    let categories = arguments.list("categories");
    let verbs = arguments.list("verbs");
    let is_meant = |info: &&KindInfo| {
        (!arguments.has("namespaced") || arguments.is("namespaced") == info.namespaced)
            && (!arguments.has("api-group") || arguments.word("api-group") == Some(info.group()))
            && categories.iter().all(|it| *it == "all" && info.in_all)
            && verbs.iter().all(|verb| VERBS.contains(verb))
    };
    let mut kinds: Vec<&KindInfo> = KINDS.iter().filter(is_meant).collect();
    let key = |info: &KindInfo| match arguments.word("sort-by") {
        Some("kind") => (info.kind, ""),
        Some("name") => (info.plural, ""),
        _ => (info.group(), info.plural),
    };
    berth_base::sort::sort_by_key(&mut kinds, |info| key(info));
    let wide = match arguments.word("output") {
        None | Some("") => false,
        Some("wide") => true,
        Some("name") => {
            let names: String = kinds.iter().map(|info| info.resource() + "\n").collect();
            return Ok(Output::text(names));
        }
        Some(other) => return Err(format!("error: --output {other} is not available")),
    };
    let mut rows = Vec::new();
    if !arguments.is("no-headers") {
        let mut heads = vec!["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"];
        if wide {
            heads.extend(["VERBS", "CATEGORIES"]);
        }
        rows.push(heads.into_iter().map(str::to_owned).collect());
    }
    rows.extend(kinds.into_iter().map(|info| row(info, wide)));
    Ok(Output::text(Rows::default().print(&rows)))
}

fn row(info: &KindInfo, wide: bool) -> Vec<String> {
    let mut row = vec![
        info.plural.to_owned(),
        info.short.join(","),
        info.api_version.to_owned(),
        info.namespaced.to_string(),
        info.kind.to_owned(),
    ];
    if wide {
        row.push(VERBS.join(","));
        let category = if info.in_all { "all" } else { "" };
        row.push(category.to_owned());
    }
    row
}

fn versions(_: &mut Call<'_>, _: &mut dyn Cluster) -> Done {
    let versions: std::collections::BTreeSet<&str> =
        berth_base::sort::gather(KINDS.iter().map(|info| info.api_version));
    let lines: String = versions
        .into_iter()
        .map(|version| format!("{version}\n"))
        .collect();
    Ok(Output::text(lines))
}

#[cfg(test)]
mod tests {
    use crate::tests::cluster::TestCluster;
    use crate::tests::commands::prints;

    #[test]
    fn kinds_and_their_names() {
        let mut cluster = TestCluster::with_nodes(&[]);
        prints(
            &mut cluster,
            "api-resources --api-group=batch",
            "NAME       SHORTNAMES   APIVERSION   NAMESPACED   KIND\n\
             cronjobs   cj           batch/v1     true         CronJob\n\
             jobs                    batch/v1     true         Job\n",
        );
        prints(
            &mut cluster,
            "api-resources --api-group=storage.k8s.io -o name --namespaced=false",
            "csidrivers.storage.k8s.io\ncsinodes.storage.k8s.io\nstorageclasses.storage.k8s.io\nvolumeattachments.storage.k8s.io\nvolumeattributesclasses.storage.k8s.io\n",
        );
        prints(
            &mut cluster,
            "api-resources --api-group=policy -o wide --no-headers",
            "poddisruptionbudgets   pdb   policy/v1   true   PodDisruptionBudget   create,delete,deletecollection,get,list,patch,update,watch   \n",
        );
        prints(
            &mut cluster,
            "api-versions",
            "admissionregistration.k8s.io/v1\napiextensions.k8s.io/v1\napiregistration.k8s.io/v1\napps/v1\nautoscaling/v2\nbatch/v1\ncertificates.k8s.io/v1\ncoordination.k8s.io/v1\ndiscovery.k8s.io/v1\nflowcontrol.apiserver.k8s.io/v1\nnetworking.k8s.io/v1\nnode.k8s.io/v1\npolicy/v1\nrbac.authorization.k8s.io/v1\nresource.k8s.io/v1\nscheduling.k8s.io/v1\nstorage.k8s.io/v1\nv1\n",
        );
    }
}
