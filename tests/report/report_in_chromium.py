#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the sample report in headless Chromium and checks what a reader would see.

usage: report_in_chromium.py RENDER_PROGRAM OUTPUT_FOLDER
Leaves report.html, report-light.png, report-dark.png and report-phone.png in OUTPUT_FOLDER.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--hide-scrollbars", "--virtual-time-budget=5000"]


def chromium(*arguments):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(["chromium", *FLAGS, f"--user-data-dir={profile}", *arguments],
                              capture_output=True, text=True, timeout=120, check=False)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if shutil.which("chromium") is None:
        print("SKIPPED: chromium is not installed (./dev deps installs it)")
        return SKIP
    page = folder / "report.html"
    page.write_bytes(subprocess.run([program], capture_output=True, check=True).stdout)
    html = page.read_text()
    problems = []

    def check(good, what):
        print(("ok      " if good else "FAILED  ") + what)
        if not good:
            problems.append(what)

    check(not re.search(r'(src|href)\s*=\s*["\']?https?:', html), "nothing is loaded from outside")
    url = page.resolve().as_uri()
    result = chromium("--enable-logging=stderr", "--dump-dom", url)
    dom = result.stdout
    errors = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    check('data-ready="true"' in dom, "the script ran to its end")
    check(not errors, "no message on the console" + "".join(f"\n        {e}" for e in errors))
    check(dom.count("<canvas") == 4, "four charts are drawn (front, times, work, one cluster)")
    check("Least energy at no more than 0.1 % missed deadlines: pid" in dom,
          "the summary names the policy with the least energy at few misses")
    check("<img" not in dom and "<b>scroll" not in dom, "names from data stay text")
    check(dom.count('class="panel"') == 3, "one panel a scene")
    rows = re.findall(r"<tr><td[^>]*>([^<]*)</td>", dom.split('id="ranking"')[1].split("</table>")[0])
    check(len(rows) == 5, "five policies are ranked")
    for name, size, dark in (("light", "1100,2400", False), ("dark", "1100,2400", True),
                             ("phone", "390,3200", False)):
        picture = folder / f"report-{name}.png"
        picture.unlink(missing_ok=True)
        chromium(f"--window-size={size}", f"--screenshot={picture}",
                 *(["--blink-settings=preferredColorScheme=0"] if dark else []), url)
        check(picture.exists() and picture.stat().st_size > 30_000, f"screenshot {picture.name}")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
