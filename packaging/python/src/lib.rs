//! The engine of the Python package: the tools of programs (`berth::cli::tools`). `kube_berth/__init__.py` makes functions of them.

use berth::cli::tools;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pymodule]
mod _engine {
    use super::*;

    /// Calls a tool: (exit status, output, messages). `arguments` is a JSON object.
    #[pyfunction]
    fn call(
        py: Python<'_>,
        tool: String,
        manifests: Vec<(String, String)>,
        arguments: String,
    ) -> PyResult<(u8, String, String)> {
        // Other threads of Python run meanwhile.
        py.detach(|| {
            let arguments = serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
            tools::answer(&tool, manifests, arguments)
        })
        .map(|answer| (answer.status, answer.out, answer.messages))
        .map_err(PyValueError::new_err)
    }
}
