#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The SELinux rules, compiled: classes and permissions are the kernel's, and each statement parses.

A ROM's own policy is not here. Its types stand in as mere names, its macros as the least that they mean. Of AOSP's
neverallow rules those that the service of init meets are here, with the exceptions that docs/rom-builders.md asks for."""

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
    "process": "fork transition sigchld sigkill signal ptrace getattr getsched setsched dyntransition rlimitinh siginh noatsecure",
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
    "property_service": "set",
    "sock_file": _FILE.replace("entrypoint", ""),
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
    "no_rw_file_perms": "{ append create link unlink relabelfrom rename setattr write open read ioctl lock }",
}
MACROS = {
    "init_daemon_domain": "type_transition init {0}_exec:process {0}; allow init {0}:process transition; allow {0} {0}_exec:file {{ entrypoint read }};",
    "r_dir_file": "allow {0} {1}:dir r_dir_perms; allow {0} {1}:{{ file lnk_file }} r_file_perms;",
    "binder_use": "allow {0} servicemanager:binder {{ call transfer }};",
    "binder_call": "allow {0} {1}:binder {{ call transfer }}; allow {1} {0}:binder transfer; allow {0} {1}:fd use;",
    "system_internal_prop": "type {0}, property_type, system_property_type, system_internal_property_type;",
    "set_prop": "allow {0} property_socket:sock_file write; allow {0} init:unix_stream_socket connectto; "
    "allow {0} {1}:property_service set; allow {0} {1}:file {{ getattr open read map }};",
}
ATTRIBUTES = (
    "domain coredomain exec_type file_type system_file_type data_file_type core_data_file_type appdomain "
    "property_type system_property_type system_internal_property_type"
)
DOMAINS = "init servicemanager surfaceflinger system_server shell"
TYPES = (
    f"{DOMAINS} debugfs debugfs_tracing debugfs_tracing_debug debugfs_tracing_instances proc proc_kallsyms proc_mounts sysfs "
    "sysfs_devices_system_cpu sysfs_thermal sysfs_uprobe system_lib_file system_file cgroup property_socket surfaceflinger_service "
    "activity_service window_service settings_service deviceidle_service thermal_service magisk su ksu"
)
# AOSP's neverallow rules, shortened to what matters here: who is excepted by AOSP needs no exception of ours. First those that
# a ROM has to except framegovd from, by a word that the table in docs/rom-builders.md names each with.
EXCEPTED = {
    "prog_load": "neverallow { domain EXCEPTED } *:bpf { map_create prog_load };",
    "prog_run": "neverallow { domain EXCEPTED } *:bpf { map_read map_write prog_run };",
    "dac_override": "neverallow { domain EXCEPTED } self:global_capability_class_set dac_override;",
    "sys_ptrace": "neverallow { domain -system_server EXCEPTED } self:global_capability_class_set sys_ptrace;",
    "perfmon": "neverallow { domain -init EXCEPTED } self:capability2 perfmon;",
    "debugfs_tracing_debug": "neverallow { domain -init EXCEPTED } debugfs_tracing_debug:file no_rw_file_perms;",
}
# Those that the rules keep.
KEPT = (
    "neverallow domain appdomain:process ptrace;",
    "neverallow { coredomain -init } { proc sysfs debugfs }:file no_rw_file_perms;",
    "neverallow { coredomain -init -shell -system_server } debugfs_tracing:file no_rw_file_perms;",
    "neverallow { domain -init } proc_kallsyms:file { open read };",
    "neverallow { domain -init } property_type:file { append create write };",
    "neverallow { coredomain -init } { property_type -system_property_type }:property_service set;",
    "neverallow { domain -coredomain } { system_property_type system_internal_property_type }:property_service set;",
    "neverallow domain property_type:file { ioctl lock };",
    "neverallow domain { proc sysfs sysfs_thermal }:dir { add_name create link remove_name rename reparent rmdir write };",
    "neverallow domain system_file_type:file { create write setattr append unlink link rename };",
    "neverallow domain data_file_type:file { execute execute_no_trans };",
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
            *(f"typeattribute {name} domain, coredomain;" for name in DOMAINS.split()),
            "typeattribute shell appdomain;",
            "typeattribute system_file system_file_type;",
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

    def test_what_a_rom_must_except(self):
        rules = (RC / "framegovd.te").read_text()
        documented = (ROOT / "docs/rom-builders.md").read_text()
        for name, rule in EXCEPTED.items():
            refused = self.compile(rules + rule.replace("EXCEPTED", ""))
            self.assertIn("neverallow", refused.stderr, name)
            self.expect_good(rules + rule.replace("EXCEPTED", "-framegovd"))
            self.assertRegex(documented, rf"(?m)^\|.*{name}.*-?framegovd", name)

    def test_what_needs_no_exception(self):
        rules = (RC / "framegovd.te").read_text()
        self.expect_good(rules + "\n".join(KEPT))
        # The line that is left to the ROM, and the property without an owner, would need one.
        for other in (
            rules + "allow framegovd appdomain:process ptrace;",
            rules.replace("system_internal_prop(framegov_prop)", "type framegov_prop, property_type;"),
        ):
            self.assertIn("neverallow", self.compile(other + "\n".join(KEPT)).stderr)

    def test_older_classes(self):
        # Android 12 and 13 know perfmon and no bpf, 11 neither: the lines to strike leave the others whole.
        rules = (RC / "framegovd.te").read_text()
        for missing in ("bpf", "perfmon"):
            line = f"allow framegovd self:capability2 {missing};\n"
            self.assertIn(line, rules)
            rules = rules.replace(line, "")
            self.expect_good(rules)

    def test_what_the_service_reads_and_writes(self):
        rules = expanded((RC / "framegovd.te").read_text())
        for target, kind, permissions in (
            ("sysfs_thermal", "file", "open read"),  # ThermalSensors
            ("sysfs_thermal", "dir", "open read search"),
            ("sysfs", "dir", "open read"),  # /sys/class/thermal itself
            ("thermal_service", "service_manager", "find"),  # dumpsys thermalservice
            ("debugfs_tracing_debug", "file", "open read append"),  # uprobe_events, by TraceInstance
            ("debugfs_tracing_instances", "dir", "add_name create open read remove_name rmdir search write"),
            ("debugfs_tracing_instances", "file", "open read append"),
        ):
            granted = set()
            for targets, kinds, words in re.findall(r"allow framegovd (\{[^}]*\}|\S+):\s*(\{[^}]*\}|\w+) ([^;]+);", rules):
                if target in targets.strip("{}").split() and kind in kinds.strip("{}").split():
                    granted |= set(words.strip("{}").split())
            self.assertLessEqual(set(permissions.split()), granted, f"{target}:{kind}")

    def test_every_file_has_a_type(self):
        contexts = (RC / "file_contexts").read_text()
        types = re.findall(r"u:object_r:(\w+):s0", contexts)
        declared = re.findall(r"^type (\w+)", (RC / "framegovd.te").read_text(), re.MULTILINE)
        self.assertLessEqual(set(types), set(declared))
        self.assertIn("seclabel u:r:framegovd:s0", (RC / "framegovd.rc").read_text())

    def test_the_property_has_a_type_and_the_values_that_init_waits_for(self):
        contexts = [line.split() for line in (RC / "property_contexts").read_text().splitlines() if not line.startswith("#")]
        self.assertEqual([each[0] for each in contexts], ["persist.framegov.enable"])
        name, context, match, kind, *values = contexts[0]
        self.assertEqual((match, kind), ("exact", "enum"))
        declared = re.findall(r"\btype (\w+), property_type", expanded((RC / "framegovd.te").read_text()))
        self.assertEqual([context], [f"u:object_r:{each}:s0" for each in declared])
        waited_for = re.findall(rf"property:{re.escape(name)}=(\S+)", (RC / "framegovd.rc").read_text())
        self.assertEqual(set(waited_for), {*values, '""'})

    def test_limits_are_put_back_whenever_init_finds_the_service_gone(self):
        service = (RC / "framegovd.rc").read_text()
        waits = re.findall(r"^on property:init\.svc\.framegovd=(\w+)\n    start framegovd_restore$", service, re.MULTILINE)
        self.assertEqual(set(waits), {"stopped", "restarting"})

    def test_what_an_init_may_not_know_stands_last(self):
        # init ends the line there and keeps what stands before.
        service = (RC / "framegovd.rc").read_text()
        capabilities = re.search(r"^    capabilities (.+)", service, re.MULTILINE)[1].split()
        self.assertEqual(capabilities[-2:], ["BPF", "PERFMON"])
        self.assertEqual(re.search(r"^    group (.+)", service, re.MULTILINE)[1].split()[-1], "readtracefs")
        # And what the kernel grants, SELinux does.
        rules = expanded((RC / "framegovd.te").read_text())
        for capability in capabilities:
            self.assertRegex(rules, rf"allow framegovd self:[^;]*\b{capability.lower()}\b")


if __name__ == "__main__":
    if not shutil.which("checkpolicy"):
        print("SKIPPED: checkpolicy is not installed: apt-get install checkpolicy")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
