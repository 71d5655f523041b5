/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* What frequency.bpf.c and the service say to each other. Read as C and as C++. */
#pragma once

#include <linux/types.h>

#define WIRE_FREQUENCY_CPUS 64

/* NOLINTBEGIN(readability-identifier-naming): C, in the kernel's manner. */
/* Element `cpu` of the map `frequencies`. */
struct wire_frequency {
  __u64 khz;      /* now; 0: not known yet */
  __u64 since_ns; /* CLOCK_MONOTONIC of the last change */
  __u64 khz_ns;   /* frequency x time until then, modulo 2^64 */
};
/* NOLINTEND(readability-identifier-naming) */
