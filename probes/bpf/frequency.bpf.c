// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Adds up, for each CPU, its frequency over time. The service reads the sum at two instants and has
 * the mean frequency between them, whatever happened there. A raw tracepoint: no tracefs, no BTF.
 */
#include <linux/bpf.h>
/* After linux/bpf.h, which it needs. */
#include <bpf/bpf_helpers.h>

#include "probes/bpf/frequency_wire.h"

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, WIRE_FREQUENCY_CPUS);
  __type(key, __u32);
  __type(value, struct wire_frequency);
} frequencies SEC(".maps");

/* include/trace/events/power.h: cpu_frequency(unsigned int frequency, unsigned int cpu_id) */
SEC("raw_tracepoint/cpu_frequency")
int cpu_frequency(struct bpf_raw_tracepoint_args* context) {
  __u32 cpu = (__u32)context->args[1];
  struct wire_frequency* sum = bpf_map_lookup_elem(&frequencies, &cpu);
  if (sum) {
    __u64 now = bpf_ktime_get_ns();
    sum->khz_ns += sum->khz * (now - sum->since_ns);
    sum->since_ns = now;
    sum->khz = (__u32)context->args[0];
  }
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
