// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What probes cost that do nothing. With -DFRAMEGOV_WAKE one more that does nothing but wake a
 * reader, for which the kernel needs a ring buffer. */
#include <linux/bpf.h>
/* After linux/bpf.h, which it needs. */
#include <bpf/bpf_helpers.h>

SEC("uprobe")
int on_entry(void* registers) { return 0; }

SEC("uretprobe")
int on_return(void* registers) { return 0; }

#ifdef FRAMEGOV_WAKE
struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 256 * 1024);
} records SEC(".maps");

/* The least that tells a reader. */
SEC("uprobe")
int on_entry_wake(void* registers) {
  __u64 record = 0;
  bpf_ringbuf_output(&records, &record, sizeof(record), BPF_RB_FORCE_WAKEUP);
  return 0;
}
#endif

char LICENSE[] SEC("license") = "Dual BSD/GPL";
