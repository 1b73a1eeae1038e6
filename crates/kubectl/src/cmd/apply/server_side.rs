//! `kubectl apply --server-side`: the manifest is sent as it is, and the API server merges it.

use serde_json::Value;

use super::{Applied, nameless};
use crate::call::Call;
use crate::errors::{self, ErrorContext};
use crate::printers::report::{self, DryRun};
use crate::resource::files::Manifest;
use crate::resource::shown::shown;
use crate::resource::subresource;
use crate::resource::write::{meta_of, refused};
use crate::{Cluster, kinds};
use berth_core::api::kinds::Kind;
use berth_sim::field_managers::{ApplyError, ApplyOptions};
use berth_sim::server::{ApiError, ApiServer};

/// The manager, unless `--field-manager` names another.
const MANAGER: &str = "kubectl";

/// What kubectl says after a conflict.
const ADVICE: &str = "Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts";

/// Applies one manifest.
pub(super) fn one(
    manifest: &Manifest,
    dry: DryRun,
    call: &Call<'_>,
    cluster: &mut dyn Cluster,
) -> Result<Applied, String> {
    let Manifest {
        value, kind, key, ..
    } = manifest;
    if key.name().is_empty() {
        return Err(nameless(manifest));
    }
    let part = subresource::asked(call);
    subresource::check(kind, part)?;
    let mut config = value.clone();
    if kind.namespaced
        && let Some(meta) = meta_of(&mut config)
    {
        meta.insert("namespace".to_owned(), key.namespace().into());
    }
    let named = call.arguments.word("field-manager");
    let options = ApplyOptions {
        manager: named.filter(|it| !it.is_empty()).unwrap_or(MANAGER),
        force: call.arguments.is("force-conflicts"),
        of_status: part == Some("status"),
    };
    let known = kinds::of_kind(kind.kind).and_then(|info| Kind::of_name(info.kind));
    let Some(of) = known else {
        return Err(format!("error: objects of kind {} are not kept", kind.kind));
    };
    report::on(dry, cluster, |api| {
        is_meant(manifest, api)?;
        let applied = api.apply(of, key, &config, options);
        let applied = applied.map_err(|error| match error {
            ApplyError::Untyped(why) => format!("Error from server: {why}"),
            ApplyError::Conflict(why) => format!("error: {why}\n{ADVICE}"),
            ApplyError::Refused(error) => refused(&config, error, ErrorContext::Nothing),
        })?;
        Ok(Applied {
            object: shown(&applied.object, api),
            operation: "serverside-applied",
            warnings: Vec::new(),
        })
    })
}

/// Checks what the manifest says of the object that it is meant for.
fn is_meant(manifest: &Manifest, api: &ApiServer) -> Result<(), String> {
    let text = |field: &str| -> String {
        let text = manifest.value.pointer(field).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    if manifest.value.pointer("/metadata/managedFields").is_some() {
        let message = "metadata.managedFields must be nil".to_owned();
        return Err(errors::server(&ApiError::BadRequest { message }));
    }
    let Some(live) = api.get(manifest.kind.kind, &manifest.key) else {
        return Ok(());
    };
    let version = text("/metadata/resourceVersion");
    let own = live.metadata().resource_version.as_deref();
    if !version.is_empty() && own != Some(version.as_str()) {
        let (kind, key) = (manifest.kind.kind, manifest.key.clone());
        let error = ApiError::Conflict { kind, key };
        return Err(format!("error: {error}\n{ADVICE}"));
    }
    Ok(())
}
