#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws which room includes which, from the sources, into docs/rooms.svg.

usage: docs/rooms.py [--check | --table]

--check writes nothing and fails where the picture is not what the code says. --table prints files and
lines of each room. An arrow that others imply is left out: A over B to C stands for A to C as well.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "rooms.svg"
FOLDERS = ("base", "socs", "policy", "probes", "probes/games", "trace", "config", "governor", "sim", "cli", "python")
PANELS = (("the folders", ""), ("governor/", "governor"), ("sim/", "sim"))
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
BOX, GAP, ROW, MARGIN = (108, 30), 22, 74, 24


def sources():
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.h", "*.cpp", "*.c"], cwd=ROOT,
                             check=True, capture_output=True, text=True).stdout.split()
    return [name for name in tracked if name.startswith(tuple(folder + "/" for folder in FOLDERS))
            and (ROOT / name).exists()]


def node_of(name, folder):
    """The room of `folder` that a file lies in, or the folder itself where `folder` is empty; None: neither."""
    if not folder:
        return max((each for each in FOLDERS if name.startswith(each + "/")), key=len, default=None)
    parts = name.split("/")
    return parts[1] if parts[0] == folder and len(parts) > 2 else None


def graph(folder):
    """{room: rooms that it includes}."""
    arrows = {}
    for name in sources():
        room = node_of(name, folder)
        if room:
            included = (node_of(header, folder) for header in INCLUDE.findall((ROOT / name).read_text()))
            arrows.setdefault(room, set()).update(each for each in included if each and each != room)
    return arrows


def reachable(arrows, room):
    seen, left = set(), list(arrows.get(room, ()))
    while left:
        each = left.pop()
        if each not in seen:
            seen.add(each)
            left.extend(arrows.get(each, ()))
    return seen


def without_implied(arrows):
    return {room: {each for each in targets
                   if not any(each in reachable(arrows, other) for other in targets - {each})}
            for room, targets in arrows.items()}


def ranked(arrows):
    """{room: row}, the rooms that include none of the others in row 0."""
    rows = {}

    def row(room):
        if room not in rows:
            rows[room] = 0  # ends a circle, which the include-graph test refuses
            rows[room] = 1 + max((row(each) for each in sorted(arrows.get(room, ()))), default=-1)
        return rows[room]

    for room in sorted(arrows):
        row(room)
    return rows


def placed(arrows):
    """Rows of nodes from the bottom up, and arrows as chains of nodes; long arrows pass through (room, room, row)."""
    rows = ranked(arrows)
    layers = [[] for _ in range(max(rows.values(), default=0) + 1)]
    for room in sorted(rows):
        layers[rows[room]].append(room)
    chains = []
    for room in sorted(arrows):
        for target in sorted(arrows[room]):
            way = [(room, target, row) for row in range(rows[room] - 1, rows[target], -1)]
            for node in way:
                layers[node[2]].append(node)
            chains.append([room, *way, target])
    neighbours = {}
    for chain in chains:
        for upper, lower in zip(chain, chain[1:]):
            neighbours.setdefault(upper, []).append(lower)
            neighbours.setdefault(lower, []).append(upper)
    for sweep in range(8):
        order = range(len(layers)) if sweep % 2 == 0 else reversed(range(len(layers)))
        for row in order:
            place = {node: (index + 0.5) / len(layer) for layer in layers for index, node in enumerate(layer)}
            layers[row].sort(key=lambda node: (sum(place[each] for each in neighbours.get(node, [node]))
                                               / len(neighbours.get(node, [node])), str(node)))
    return layers, chains


def panel(title, folder, left):
    """(SVG of one graph, its width and height)."""
    layers, chains = placed(without_implied(graph(folder)))
    width_of = lambda layer: sum((BOX[0] if isinstance(node, str) else 14) + GAP for node in layer) - GAP
    width = max(width_of(layer) for layer in layers)
    height = ROW * (len(layers) - 1) + BOX[1]
    at = {}
    for row, layer in enumerate(layers):
        x = left + (width - width_of(layer)) / 2
        y = MARGIN + 30 + height - BOX[1] - row * ROW
        for node in layer:
            wide = BOX[0] if isinstance(node, str) else 14
            at[node] = (x + wide / 2, y)
            x += wide + GAP
    svg = [f'<text x="{left + width / 2:.0f}" y="{MARGIN + 8}" class="title">{title}</text>']
    for chain in chains:
        points = [(at[chain[0]][0], at[chain[0]][1] + BOX[1])]
        points += [(at[node][0], at[node][1] + BOX[1] / 2) for node in chain[1:-1]]
        points.append((at[chain[-1]][0], at[chain[-1]][1] - 3))
        path = "M" + " ".join(f"{x:.0f},{y:.0f}" for x, y in points[:1])
        for (x0, y0), (x1, y1) in zip(points, points[1:]):
            path += f" C{x0:.0f},{(y0 + y1) / 2:.0f} {x1:.0f},{(y0 + y1) / 2:.0f} {x1:.0f},{y1:.0f}"
        svg.append(f'<path d="{path}"/>')
    for node, (x, y) in at.items():
        if isinstance(node, str):
            svg.append(f'<rect x="{x - BOX[0] / 2:.0f}" y="{y:.0f}" width="{BOX[0]}" height="{BOX[1]}" rx="5"/>'
                       f'<text x="{x:.0f}" y="{y + 20:.0f}">{node}</text>')
    return svg, width, height + MARGIN + 30


def drawn():
    body, left, height = [], MARGIN, 0
    for title, folder in PANELS:
        part, wide, high = panel(title, folder, left)
        body += part
        left += wide + 3 * MARGIN
        height = max(height, high)
    width, height = left - 2 * MARGIN, height + MARGIN
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="Which room includes which">',
        "<!-- Made by docs/rooms.py; do not edit. -->",
        "<style>text{font:13px sans-serif;text-anchor:middle;fill:#1a2b3c}.title{font-weight:bold}"
        "rect{fill:#e8f0fa;stroke:#4a6f9c}path{fill:none;stroke:#7a8ba0;marker-end:url(#tip)}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<polygon points="0,0 8,4 0,8" fill="#7a8ba0"/></marker></defs>',
        f'<rect x="0" y="0" width="{width:.0f}" height="{height:.0f}" style="fill:#fff;stroke:none"/>',
        *body, "</svg>", ""])


def table():
    sizes = {}
    for name in sources():
        room = "/".join(name.split("/")[:2]) if name.count("/") > 1 else name.split("/")[0]
        files, lines = sizes.get(room, (0, 0))
        sizes[room] = (files + 1, lines + (ROOT / name).read_text().count("\n"))
    print("\n".join(f"{room:24} {files:4} files {lines:6} lines" for room, (files, lines) in sorted(sizes.items())))


def main():
    if "--table" in sys.argv:
        table()
    elif "--check" in sys.argv:
        if not PICTURE.exists() or PICTURE.read_text() != drawn():
            sys.exit("docs/rooms.svg is not what the code says: run docs/rooms.py and commit the picture")
        print("docs/rooms.svg is what the code says")
    else:
        PICTURE.write_text(drawn())


if __name__ == "__main__":
    main()
