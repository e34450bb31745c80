"""Paths of files in addresses of the API inside a sandbox: `/x` is absolute, `x` is relative to the working directory, `~/x` is
in the home folder."""

from __future__ import annotations

from urllib.parse import quote


def file_path(path: str) -> str:
    """Part of an address, with the slash before it."""
    if path.startswith("/"):
        return f"/{quote(path, safe='')}"
    parts = [part for part in path.split("/") if part not in ("", ".")]
    # A dot segment would be resolved before it is sent, against the address instead of the folder.
    if ".." in parts:
        raise ValueError(f'"{path}" leaves its folder. Give the whole path, from / on.')
    return "/" + "/".join(quote(part, safe="~") for part in parts)


def tree_path(path: str) -> str:
    """The routes of whole folders take absolute paths alone."""
    if not path.startswith("/"):
        raise ValueError(f'"{path}" is not absolute. Give the whole path, from / on.')
    return f"/{quote(path.lstrip('/'), safe='')}"
