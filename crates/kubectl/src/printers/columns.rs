//! `-o custom-columns=HEAD:PATH,…` (kubectl v1.34 `pkg/cmd/get/customcolumn.go`).

use serde_json::Value;

use super::rows::Rows;
use crate::go_template::go_value;
use crate::jsonpath::{Template, relaxed};

/// Prints objects in the columns of a specification.
///
/// # Errors
/// kubectl's error about an invalid specification.
pub(crate) fn print(spec: &str, objects: &[Value], no_headers: bool) -> Result<String, String> {
    if spec.is_empty() {
        return Err(
            "error: custom-columns format specified but no custom columns given".to_owned(),
        );
    }
    let (mut heads, mut templates) = (Vec::new(), Vec::new());
    for column in spec.split(',') {
        let Some((head, path)) = column.split_once(':') else {
            return Err(format!(
                "error: unexpected custom-columns spec: {column}, expected <header>:<json-path-expr>"
            ));
        };
        let path = relaxed(path).map_err(|why| format!("error: {why}"))?;
        templates.push(Template::parse(&path).map_err(|why| format!("error: {why}"))?);
        heads.push(head.to_owned());
    }
    let mut rows = Vec::new();
    if !no_headers {
        rows.push(heads);
    }
    for object in objects {
        let cells = templates.iter().map(|template| {
            let values = template
                .results(object)
                .map_err(|why| format!("error: {why}"))?;
            let texts: Vec<_> = values.iter().flatten().map(go_value).collect();
            Ok(if texts.is_empty() {
                "<none>".to_owned()
            } else {
                texts.join(",")
            })
        });
        rows.push(cells.collect::<Result<Vec<_>, String>>()?);
    }
    Ok(Rows::default().print(&rows))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_hold_what_their_paths_find() {
        let objects = [
            json!({"metadata": {"name": "a"}, "spec": {"c": [{"i": "x"}, {"i": "y"}]}}),
            json!({"metadata": {"name": "longer"}}),
        ];
        let whole = json!({"t": [{"key": "gpu", "effect": "NoSchedule"}], "a": ["x", 1, null]});
        assert_eq!(
            print("T:.t,A:.a,S:.a[9:9]", &[whole], true).as_deref(),
            Ok("[map[effect:NoSchedule key:gpu]]   [x 1 <nil>]   <none>\n")
        );
        let spec = "NAME:.metadata.name,IMAGES:spec.c[*].i,N:{.n}";
        assert_eq!(
            print(spec, &objects, false).as_deref(),
            Ok("NAME     IMAGES   N\na        x,y      <none>\nlonger   <none>   <none>\n")
        );
        assert_eq!(
            print("NAME", &objects, false),
            Err(
                "error: unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>"
                    .to_owned()
            )
        );
    }
}
