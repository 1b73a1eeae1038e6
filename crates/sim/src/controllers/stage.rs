//! A small cluster for controller tests: an API server with admission and all controllers, but no scheduler and no
//! kubelets.

use crate::control_plane::{ControlPlane, DataPlane};
use crate::server::{ApiError, ApiServer, Naming};
use crate::store::{Change, Key, Object, Stored};
use crate::strategy::Served;
use berth_core::api::load::load;
use berth_core::api::source::SourceFile;

use super::Options;
use berth_scheduler::release::Release;

/// A data plane without a scheduler and kubelets.
pub(crate) struct NoNodes;

impl DataPlane for NoNodes {
    fn observe(&mut self, _: &Change, _: &mut ApiServer) {}
    fn act(&mut self, _: &mut ApiServer) -> bool {
        false
    }
}

pub(crate) struct Stage {
    pub plane: ControlPlane,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::of(Release::default())
    }

    pub(crate) fn of(release: Release) -> Self {
        let api = ApiServer::new(
            Naming::new(berth_protocol::defaults::Edition::default(), 7),
            None,
        );
        let mut api = api.of_release(release);
        api.bootstrap();
        let options = Options {
            release,
            ..Options::default()
        };
        let mut stage = Stage {
            plane: ControlPlane::new(api, options),
        };
        stage.settle();
        stage
    }

    pub(crate) fn api(&mut self) -> &mut ApiServer {
        &mut self.plane.api
    }

    /// Creates the objects of a YAML text and settles.
    pub(crate) fn apply(&mut self, text: &str) {
        for (index, outcome) in self.create(text).into_iter().enumerate() {
            outcome.unwrap_or_else(|error| panic!("document {index}: {error}"));
        }
        self.settle();
    }

    /// Creates the objects of a YAML text.
    pub(crate) fn create(&mut self, text: &str) -> Vec<Result<Object, ApiError>> {
        let loaded = load(&[SourceFile::new("stage.yaml", text.to_owned())]);
        assert!(loaded.problems.is_empty(), "{:?}", loaded.problems);
        let objects = loaded
            .documents
            .iter()
            .map(|document| document.object.as_ref().expect("an object"));
        let objects: Vec<Object> = objects
            .map(|object| Object::of_manifest(object).expect("a kind of the store"))
            .collect();
        let api = &mut self.plane.api;
        objects
            .into_iter()
            .map(|it| api.create_object(it))
            .collect()
    }

    pub(crate) fn settle(&mut self) {
        self.plane.settle(&mut NoNodes).expect("it comes to rest");
    }

    /// Advances time to `until_ms` and handles all that is due on the way.
    pub(crate) fn run(&mut self, until_ms: i64) {
        self.settle();
        while let Some(due) = self.plane.next_due().filter(|due| *due <= until_ms) {
            self.plane.api.set_now_ms(due);
            self.plane.release();
            self.settle();
        }
        self.plane.api.set_now_ms(until_ms);
    }

    pub(crate) fn get<T: Stored>(&self, namespace: &str, name: &str) -> T {
        let key = Key::new(namespace, name);
        let object = T::table(self.plane.api.store()).get(&key);
        (**object.unwrap_or_else(|| panic!("no {} {key}", T::KIND))).clone()
    }

    pub(crate) fn has<T: Stored>(&self, namespace: &str, name: &str) -> bool {
        let key = Key::new(namespace, name);
        T::table(self.plane.api.store()).get(&key).is_some()
    }

    /// Updates an object, including its status, and settles.
    pub(crate) fn edit<T: Served>(
        &mut self,
        namespace: &str,
        name: &str,
        edit: impl FnOnce(&mut T),
    ) {
        let mut object = self.get::<T>(namespace, name);
        edit(&mut object);
        let updated = self
            .plane
            .api
            .update(object.clone())
            .expect("it may be changed");
        let version = updated.metadata().resource_version.clone();
        object.metadata_mut().resource_version = version;
        // It may be gone with its last finalizer.
        let _ = self.plane.api.update_status(&object);
        self.settle();
    }

    pub(crate) fn delete<T: Served>(&mut self, namespace: &str, name: &str) {
        self.plane
            .api
            .delete::<T>(&Key::new(namespace, name))
            .expect("it is there");
        self.settle();
    }

    /// The events for objects of this name as `reason: message`, in the order of their first occurrence.
    pub(crate) fn events(&self, name: &str) -> Vec<String> {
        self.plane
            .api
            .events()
            .iter()
            .filter(|event| event.key.name() == name)
            .map(|event| format!("{}: {}", event.reason, event.message))
            .collect()
    }
}
