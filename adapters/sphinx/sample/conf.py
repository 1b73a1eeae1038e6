project = "Berth in Sphinx"
extensions = ["myst_parser", "berth_docs.sphinx"]
berth_script = "https://berth.example/embed.js"
html_theme = "alabaster"
exclude_patterns = ["_build"]
