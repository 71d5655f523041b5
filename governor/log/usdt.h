// SPDX-License-Identifier: Apache-2.0
#pragma once

// Static probes for bpftrace, perf and SystemTap: one no-op each until somebody attaches.
//   framegov:frame     app's pid, generation time ns, slack ns
//   framegov:decision  cause, reason (text), time it was decided, ns
//   framegov:write     node (text, below the CPUs' folder), kHz, errno or 0
#include <sys/sdt.h>
