//! Devices of new nodes, and the claims of new Pods.

use k8s_openapi::api::resource::v1::DeviceClass;
use serde_json::{Value, json};

use super::{names_of, next_number};
use berth_core::api::load::Loaded;
use berth_core::api::object::Manifest;
use berth_protocol::edit::{Edit, EditError, ObjectRef};
use berth_protocol::gesture::{ClaimForm, DevicesForm};
use berth_protocol::remark::Remark;
use berth_scheduler::cel::{DeviceValue, Rules, compile};

/// The driver of a cluster that has none, and the class of its devices.
const DRIVER: &str = "gpu.example.com";
/// The most devices that a ResourceSlice may publish.
const MOST: u32 = 128;

/// The slices of new nodes, and the class of their devices if no class has them.
pub(super) fn published(
    loaded: &Loaded,
    nodes: &[String],
    form: &DevicesForm,
) -> Result<Vec<Edit>, EditError> {
    if !(1..=MOST).contains(&form.count) {
        return Err(EditError::new(
            Remark::device_count(form.count),
            Remark::device_limit(MOST),
        ));
    }
    let driver = driver(loaded);
    let devices: Vec<Value> = (0..form.count).map(|it| device(it, form)).collect();
    let slices = nodes.iter().map(|node| Edit::Create {
        manifest: json!({
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": format!("{node}-{driver}")},
            "spec": {
                "driver": driver,
                "nodeName": node,
                "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                "devices": devices,
            },
        }),
    });
    let mut edits: Vec<Edit> = slices.collect();
    let is_known = classes(loaded).any(|class| selects(class, driver, devices.first()));
    if !is_known {
        edits.push(class(driver));
    }
    Ok(edits)
}

fn device(number: u32, form: &DevicesForm) -> Value {
    let mut device = json!({"name": format!("gpu-{number}")});
    if let (false, Some(device)) = (form.model.is_empty(), device.as_object_mut()) {
        device.insert(
            "attributes".to_owned(),
            json!({"model": {"string": form.model}}),
        );
    }
    if let (false, Some(device)) = (form.memory.is_empty(), device.as_object_mut()) {
        device.insert(
            "capacity".to_owned(),
            json!({"memory": {"value": form.memory}}),
        );
    }
    device
}

/// The driver of the last slice of one node.
fn driver(loaded: &Loaded) -> &str {
    let drivers = loaded.documents.iter().rev().filter_map(|document| {
        let Some(Manifest::ResourceSlice(slice)) = document.object.as_deref() else {
            return None;
        };
        slice
            .spec
            .node_name
            .as_ref()
            .map(|_| slice.spec.driver.as_str())
    });
    drivers.into_iter().next().unwrap_or(DRIVER)
}

fn classes(loaded: &Loaded) -> impl Iterator<Item = &DeviceClass> {
    loaded
        .documents
        .iter()
        .filter_map(|document| match document.object.as_deref() {
            Some(Manifest::DeviceClass(class)) => Some(&**class),
            _ => None,
        })
}

/// Whether a class has a device, as the scheduler evaluates its selectors.
fn selects(class: &DeviceClass, driver: &str, device: Option<&Value>) -> bool {
    let device = device.and_then(|device| serde_json::from_value(device.clone()).ok());
    let Some(device) = device.map(|device| DeviceValue::new(driver, &device)) else {
        return false;
    };
    let rules = Rules {
        stored: true,
        allow_multiple: true,
    };
    let mut selectors = class.spec.selectors.iter().flatten();
    selectors.all(|selector| {
        let expression = selector.cel.as_ref().map(|cel| cel.expression.as_str());
        expression.is_none_or(|expression| {
            compile(expression, rules).is_ok_and(|it| it.matches(&device) == Ok(true))
        })
    })
}

/// The class of a driver's devices.
fn class(driver: &str) -> Edit {
    Edit::Create {
        manifest: json!({
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": driver},
            "spec": {"selectors": [{"cel": {"expression": format!("device.driver == {driver:?}")}}]},
        }),
    }
}

/// How a Pod claims devices.
pub(super) struct Claiming {
    /// The template of its claims, and the class if the manifests have none.
    pub edits: Vec<Edit>,
    /// The name of the claim in the Pod's spec.
    pub name: String,
    pub template: String,
}

/// The claims of a new Pod; `owner`: the name of the Pod, or of what creates Pods.
pub(super) fn claimed(
    loaded: &Loaded,
    owner: &str,
    namespace: &str,
    form: &ClaimForm,
) -> Result<Claiming, EditError> {
    let mut edits = Vec::new();
    let driver = driver(loaded);
    let known = |name: &str| names_of(loaded, "DeviceClass").any(|class| class == name);
    let class_name = match form.class.as_str() {
        "" => names_of(loaded, "DeviceClass").last().unwrap_or(driver),
        name => name,
    };
    if !known(class_name) {
        if class_name != driver {
            return Err(EditError::new(
                Remark::quoted(format!(
                    "deviceclass.resource.k8s.io {class_name:?} not found"
                )),
                Remark::add_device_class(),
            ));
        }
        edits.push(class(driver));
    }
    let name = class_name.split('.').next().unwrap_or("device").to_owned();
    let stem = format!("{owner}-{name}");
    let is_new = !names_of(loaded, "ResourceClaimTemplate").any(|known| known == stem);
    let template = if is_new {
        stem
    } else {
        let stem = format!("{stem}-");
        let next = next_number(names_of(loaded, "ResourceClaimTemplate"), &stem);
        format!("{stem}{next}")
    };
    let mut request = json!({"deviceClassName": class_name});
    if let Some(request) = request.as_object_mut() {
        if form.count > 1 {
            request.insert("count".to_owned(), json!(form.count));
        }
        if !form.selector.is_empty() {
            let selectors = json!([{"cel": {"expression": form.selector}}]);
            request.insert("selectors".to_owned(), selectors);
        }
    }
    let mut metadata = json!({"name": template});
    if let (false, Some(metadata)) = (namespace.is_empty(), metadata.as_object_mut()) {
        metadata.insert("namespace".to_owned(), json!(namespace));
    }
    edits.push(Edit::Create {
        manifest: json!({
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaimTemplate",
            "metadata": metadata,
            "spec": {"spec": {"devices": {"requests": [{"name": name, "exactly": request}]}}},
        }),
    });
    Ok(Claiming {
        edits,
        name,
        template,
    })
}

/// The slices that drivers publish for the deleted nodes: a driver leaves with its node.
pub(super) fn slices_of(loaded: &Loaded, objects: &[ObjectRef]) -> Vec<Edit> {
    let deleted = |kind: &str, name: &str| {
        let mut objects = objects.iter();
        objects.any(|object| object.kind == kind && object.name == name)
    };
    let slices = loaded.documents.iter().filter(|document| {
        let Some(Manifest::ResourceSlice(slice)) = document.object.as_deref() else {
            return false;
        };
        let node = slice.spec.node_name.as_deref();
        node.is_some_and(|node| deleted("Node", node)) && !deleted("ResourceSlice", &document.name)
    });
    let slices = slices.map(|document| Edit::Delete {
        object: ObjectRef::new(&document.kind, "", &document.name),
    });
    slices.collect()
}
