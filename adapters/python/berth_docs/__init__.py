"""Makes `yaml berth` code blocks of documentation live: for Python-Markdown (MkDocs) and Sphinx."""
