#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Executes the notebooks as they stand in the tree and writes them as HTML: notebooks.py FOLDER."""
import os
import pathlib
import sys

try:
    import nbclient
    import nbconvert
    import nbformat
except ImportError as error:
    raise SystemExit(f"skipped: {error.name} is not here; apt has it as python3-{error.name}")

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[1] / "notebooks"


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        assert not any(cell.get("outputs") for cell in notebook.cells), f"{path.name}: commit it without outputs"
        nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                                resources={"metadata": {"path": str(folder)}}).execute()
        html, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
        (folder / f"{path.stem}.html").write_text(html)
        print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells ran, {folder.name}/{path.stem}.html")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
