#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SELinux rules, compiled: classes and permissions are the kernel's, and each statement parses.

A ROM's own policy is not here. Its types stand in as mere names, its macros as the least that they mean; what the
ROM's neverallow rules say is quoted where we know that it matters (docs/rom-builders.md)."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
RC = ROOT / "init/rc"
RULES = ROOT / "init/module/sepolicy.rule"

# The permissions as the kernel names them (security/selinux/include/classmap.h), of the classes in use.
_FILE = "ioctl read write create getattr setattr lock relabelfrom relabelto append map unlink link rename execute open execute_no_trans entrypoint"
_CAPABILITIES = (
    "chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable net_bind_service "
    "net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot sys_ptrace sys_pacct sys_admin "
    "sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease audit_write audit_control setfcap"
)
CLASSES = {
    "process": "fork transition sigchld sigkill signal ptrace getattr dyntransition rlimitinh siginh noatsecure",
    "file": _FILE,
    "dir": _FILE.replace("entrypoint", "") + " add_name remove_name reparent search rmdir",
    "lnk_file": _FILE.replace("entrypoint", ""),
    "fifo_file": _FILE.replace("entrypoint", ""),
    "fd": "use",
    "unix_stream_socket": "create read write getattr bind connect listen accept connectto",
    "capability": _CAPABILITIES,
    "cap_userns": _CAPABILITIES,
    "capability2": "mac_override mac_admin syslog wake_alarm block_suspend audit_read perfmon bpf checkpoint_restore",
    "perf_event": "open cpu kernel tracepoint read write",
    "bpf": "map_create map_read map_write prog_load prog_run",
    "binder": "impersonate call set_context_mgr transfer",
    "service_manager": "add find list",
}
# Sets of permissions and classes, and macros, as AOSP has them.
SETS = {
    "r_file_perms": "{ getattr open read ioctl lock map }",
    "rx_file_perms": "{ getattr open read ioctl lock map execute execute_no_trans }",
    "rw_file_perms": "{ getattr open read ioctl lock map append write }",
    "create_file_perms": "{ create rename setattr unlink getattr open read ioctl lock map append write }",
    "r_dir_perms": "{ open getattr read search ioctl lock }",
    "create_dir_perms": "{ create reparent rename rmdir setattr open getattr read search ioctl lock write add_name remove_name }",
    "global_capability_class_set": "{ capability cap_userns }",
}
MACROS = {
    "init_daemon_domain": "type_transition init {0}_exec:process {0}; allow init {0}:process transition; allow {0} {0}_exec:file {{ entrypoint read }};",
    "r_dir_file": "allow {0} {1}:dir r_dir_perms; allow {0} {1}:{{ file lnk_file }} r_file_perms;",
    "binder_use": "allow {0} servicemanager:binder {{ call transfer }};",
    "binder_call": "allow {0} {1}:binder {{ call transfer }}; allow {0} {1}:fd use;",
}
ATTRIBUTES = "domain coredomain exec_type file_type system_file_type data_file_type core_data_file_type appdomain"
TYPES = (
    "init servicemanager surfaceflinger system_server shell debugfs_tracing sysfs_devices_system_cpu system_lib_file "
    "system_file cgroup surfaceflinger_service activity_service window_service settings_service deviceidle_service magisk su ksu"
)


def expanded(text: str) -> str:
    """Without comments, macros and names of sets."""
    text = re.sub(r"#.*", "", text)
    for name, body in MACROS.items():
        text = re.sub(rf"\b{name}\(([^)]*)\)", lambda call: body.format(*(part.strip() for part in call[1].split(","))), text)  # noqa: B023
    for name, meaning in SETS.items():
        text = re.sub(rf"\b{name}\b", meaning, text)
    return text


def policy(statements: str) -> str:
    """A whole policy around `statements`: the least that checkpolicy takes."""
    types = " ".join([*TYPES.split(), *re.findall(r"^type (\w+)", statements, re.MULTILINE), "kernel_t"])
    return "\n".join(
        [
            *(f"class {name}" for name in CLASSES),
            "sid kernel",
            *(f"class {name} {{ {permissions} }}" for name, permissions in CLASSES.items()),
            *(f"attribute {name};" for name in ATTRIBUTES.split()),
            *(f"type {name};" for name in [*TYPES.split(), "kernel_t"]),
            "typeattribute shell appdomain;",
            statements,
            "role r;",
            f"role r types {{ {types} }};",
            "user u roles r;",
            "sid kernel u:r:kernel_t",
            "",
        ]
    )


class SeLinux(unittest.TestCase):
    def compile(self, statements: str) -> subprocess.CompletedProcess:
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "policy.conf").write_text(policy(expanded(statements)))
        return subprocess.run(["checkpolicy", "-o", folder / "policy", folder / "policy.conf"], capture_output=True, text=True, check=False)

    def expect_good(self, statements: str) -> None:
        done = self.compile(statements)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_service_of_init(self):
        self.expect_good((RC / "framegovd.te").read_text())

    def test_each_line_of_the_module(self):
        for line in RULES.read_text().splitlines():
            if line and not line.startswith("#"):
                # Magisk's way of writing a rule has a space where SELinux has a colon.
                source, target, kind, permissions = re.match(r"allow (\w+) (\w+) (\w+) (.+)", line).groups()
                self.expect_good(f"allow {source} {target}:{kind} {permissions};")

    def test_what_is_wrong_is_found(self):
        for wrong in ("allow shell su:fd uses;", "allow shell su:fds use;", "allow shell nobody:fd use;", "allow shell su fd use;"):
            self.assertNotEqual(self.compile(wrong).returncode, 0, wrong)

    def test_never_an_apps_memory(self):
        # AOSP forbids it to all but crash_dump; a ROM with this rule would not build.
        self.assertNotRegex(expanded((RC / "framegovd.te").read_text()), r"process[^;]*ptrace")

    def test_every_file_has_a_type(self):
        contexts = (RC / "file_contexts").read_text()
        types = re.findall(r"u:object_r:(\w+):s0", contexts)
        declared = re.findall(r"^type (\w+)", (RC / "framegovd.te").read_text(), re.MULTILINE)
        self.assertLessEqual(set(types), set(declared))
        self.assertIn("seclabel u:r:framegovd:s0", (RC / "framegovd.rc").read_text())


if __name__ == "__main__":
    if not shutil.which("checkpolicy"):
        print("SKIPPED: checkpolicy is not installed: apt-get install checkpolicy")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
