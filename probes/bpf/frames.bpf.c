// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Uprobe programs that tell when frames start, are handed over, queued and finished. They are
 * attached by path for every process and let only watched ones through. Bounded: all state is per
 * thread, in one LRU map. No kernel BTF, no CO-RE: the object loads on kernels that have neither.
 *
 * -DFRAMEGOV_PERF_BUFFER: for kernels before 5.8. Records leave through perf event arrays, and
 * user memory is read with bpf_probe_read, which every kernel has for arm64 and x86_64. Down
 * to 4.14: no global data (5.2), and sizes bounded from below for the verifier.
 */
#include <linux/bpf.h>
/* After linux/bpf.h, which it needs. */
#include <bpf/bpf_helpers.h>

#include "probes/bpf/registers.h"
#include "probes/bpf/wire.h"

#define BURST_NS 1000000ULL /* getEvents is called until it is drained: calls so close are one */

#ifdef FRAMEGOV_PERF_BUFFER
#define read_user bpf_probe_read
#else
#define read_user bpf_probe_read_user
#endif

struct thread_state {
  __u64 destination; /* of GetLongArrayRegion under way; 0: none */
  __u64 count;
  __u64 last_start_ns;
  __u64 dequeue_entered_ns; /* 0: not in dequeueBuffer */
  __u64 dequeue_surface;
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct wire_config);
} config SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 256);
  __type(key, __u32);
  __type(value, __u8);
} watched SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 2048);
  __type(key, __u64);
  __type(value, struct thread_state);
} threads SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, __u64);
} lost SEC(".maps");

struct {
#ifdef FRAMEGOV_PERF_BUFFER
  __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(__u32));
#else
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, 256 * 1024);
#endif
} records SEC(".maps");

#ifdef FRAMEGOV_PERF_BUFFER
/* For records that are not to wake: its buffers wake when they are half full. */
struct {
  __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
  __uint(key_size, sizeof(__u32));
  __uint(value_size, sizeof(__u32));
} quiet_records SEC(".maps");
#endif

/* The only element of `map`. */
static __always_inline void* first_of(void* map) {
  __u32 first = 0;
  return bpf_map_lookup_elem(map, &first);
}

/* The configuration, or nothing when the process is not watched. */
static __always_inline struct wire_config* watch(__u64 pid_tgid) {
  struct wire_config* settings = first_of(&config);
  __u32 tgid = pid_tgid >> 32;
  if (!settings || (!settings->watch_all && !bpf_map_lookup_elem(&watched, &tgid))) {
    return 0;
  }
  return settings;
}

static __always_inline struct thread_state* state_of(__u64 pid_tgid) {
  struct thread_state* state = bpf_map_lookup_elem(&threads, &pid_tgid);
  if (!state) {
    struct thread_state fresh = {};
    bpf_map_update_elem(&threads, &pid_tgid, &fresh, BPF_NOEXIST);
    state = bpf_map_lookup_elem(&threads, &pid_tgid);
  }
  return state;
}

static __always_inline void fill(struct wire_header* header, __u16 kind, __u64 pid_tgid) {
  header->version = WIRE_VERSION;
  header->kind = kind;
  header->cpu = bpf_get_smp_processor_id();
  header->tgid = pid_tgid >> 32;
  header->tid = (__u32)pid_tgid;
  header->time_ns = bpf_ktime_get_ns();
}

/* The one place where records leave.
 *
 * Ring buffer: whether a record wakes is said outright. By default the kernel wakes only a reader
 * that has read all before it, and records that do not wake lie before those that do. Of perf
 * events the buffer decides, so there are two for each CPU. */
static __always_inline void emit(void* context, void* record, __u64 size, __u32 wakes) {
#ifdef FRAMEGOV_PERF_BUFFER
  long refused;
  if (wakes) {
    refused = bpf_perf_event_output(context, &records, BPF_F_CURRENT_CPU, record, size);
  } else {
    refused = bpf_perf_event_output(context, &quiet_records, BPF_F_CURRENT_CPU, record, size);
  }
#else
  __u64 flags = wakes ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
  (void)context;
  long refused = bpf_ringbuf_output(&records, record, size, flags);
#endif
  if (refused != 0) {
    __u64* count = first_of(&lost);
    if (count) {
      *count += 1;
    }
  }
}

static __always_inline __u32 wakes(const struct wire_config* settings, __u16 kind) {
  return (settings->wake_kinds & (1U << kind)) != 0;
}

static __always_inline __u32 on_render_thread(void) {
  __u64 name[2] = {};
  bpf_get_current_comm(name, sizeof(name));
  /* "RenderTh", "read" and its NUL: two comparisons, not twelve. */
  return name[0] == 0x68547265646e6552ULL && (name[1] & 0xffffffffffULL) == 0x64616572ULL;
}

/* The empty asm keeps the reads apart, at constant offsets: joined into one at a computed offset
 * the verifier refuses them. */
#define PICK_ARGUMENT(n)             \
  if (index == (n)) {                \
    value = ARGUMENT_##n(registers); \
  }                                  \
  __asm__ volatile("" : "+r"(value));

static __always_inline __u64 argument(const struct probe_registers* registers, __u32 index) {
  __u64 value = 0;
  PICK_ARGUMENT(0)
  PICK_ARGUMENT(1)
  PICK_ARGUMENT(2)
  PICK_ARGUMENT(3)
  PICK_ARGUMENT(4)
  PICK_ARGUMENT(5)
  PICK_ARGUMENT(6)
  PICK_ARGUMENT(7)
  return value;
}

/* On the call through JNIEnv's GetLongArrayRegion slot, before it is made. */
SEC("uprobe")
int frame_info_call(struct probe_registers* registers) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct wire_config* settings = watch(pid_tgid);
  struct thread_state* state = settings ? state_of(pid_tgid) : 0;
  if (state) {
    state->destination = argument(registers, settings->destination_register);
    state->count = (__u32)ARGUMENT_3(registers);
  }
  return 0;
}

/* On the instruction after it: the fields are there now. */
SEC("uprobe")
int frame_info_return(struct probe_registers* registers) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct wire_config* settings = watch(pid_tgid);
  struct thread_state* state = settings ? bpf_map_lookup_elem(&threads, &pid_tgid) : 0;
  if (!state || !state->destination) {
    return 0;
  }
  struct wire_frame_info record = {};
  fill(&record.header, WIRE_FRAME_INFO, pid_tgid);
  record.count = state->count;
  __u64 size = state->count * sizeof(__s64);
  /* Verifiers before 4.15 want to see that a size is not 0: the compiler must not know better. */
  __asm__ volatile("" : "+r"(size));
  if (size < sizeof(__s64) || size > sizeof(record.fields) ||
      read_user(record.fields, size, (const void*)state->destination) != 0) {
    record.count = 0;
  }
  state->destination = 0;
  state->last_start_ns = 0; /* what comes now is another frame's, however soon */
  emit(registers, &record, sizeof(record), wakes(settings, WIRE_FRAME_INFO));
  return 0;
}

SEC("uprobe")
int queue_buffer(struct probe_registers* registers) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct wire_config* settings = watch(pid_tgid);
  if (!settings) {
    return 0;
  }
  struct wire_queue_buffer record = {};
  fill(&record.header, WIRE_QUEUE_BUFFER, pid_tgid);
  record.surface = ARGUMENT_0(registers);
  record.render_thread = on_render_thread();
  emit(registers, &record, sizeof(record), wakes(settings, WIRE_QUEUE_BUFFER));
  return 0;
}

SEC("uprobe")
int dequeue_buffer_enter(struct probe_registers* registers) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct wire_config* settings = watch(pid_tgid);
  struct thread_state* state = settings ? state_of(pid_tgid) : 0;
  if (state) {
    state->dequeue_surface = ARGUMENT_0(registers);
    state->dequeue_entered_ns = bpf_ktime_get_ns();
  }
  return 0;
}

SEC("uretprobe")
int dequeue_buffer_return(struct probe_registers* registers) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct wire_config* settings = watch(pid_tgid);
  struct thread_state* state = settings ? bpf_map_lookup_elem(&threads, &pid_tgid) : 0;
  if (!state || !state->dequeue_entered_ns) {
    return 0;
  }
  struct wire_dequeue_buffer record = {};
  fill(&record.header, WIRE_DEQUEUE_BUFFER, pid_tgid);
  record.surface = state->dequeue_surface;
  record.entered_ns = state->dequeue_entered_ns;
  record.render_thread = on_render_thread();
  state->dequeue_entered_ns = 0;
  /* A game's frame begins when it has waited for its buffer; RenderThread's has begun before. */
  __u32 begins =
      !record.render_thread && record.header.time_ns - record.entered_ns >= WIRE_WAITED_NS;
  emit(registers, &record, sizeof(record), begins || wakes(settings, WIRE_DEQUEUE_BUFFER));
  return 0;
}

SEC("uprobe")
int frame_start(struct probe_registers* registers) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct wire_config* settings = watch(pid_tgid);
  struct thread_state* state = settings ? state_of(pid_tgid) : 0;
  if (!state) {
    return 0;
  }
  struct wire_frame_start record = {};
  fill(&record.header, WIRE_FRAME_START, pid_tgid);
  __u64 since = record.header.time_ns - state->last_start_ns;
  state->last_start_ns = record.header.time_ns;
  if (since >= BURST_NS) {
    emit(registers, &record, sizeof(record), wakes(settings, WIRE_FRAME_START));
  }
  return 0;
}

SEC("uprobe")
int frame_finished(struct probe_registers* registers) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct wire_config* settings = watch(pid_tgid);
  if (!settings) {
    return 0;
  }
  struct wire_frame_finished record = {};
  fill(&record.header, WIRE_FRAME_FINISHED, pid_tgid);
  /* A method: its first parameter, the FrameInfo, follows `this`. */
  read_user(record.fields, sizeof(record.fields), (const void*)ARGUMENT_1(registers));
  emit(registers, &record, sizeof(record), wakes(settings, WIRE_FRAME_FINISHED));
  return 0;
}

static __always_inline void emit_target(struct probe_registers* registers, __s64 target_ns) {
  __u64 pid_tgid = bpf_get_current_pid_tgid();
  struct wire_config* settings = watch(pid_tgid);
  if (settings) {
    struct wire_hint_target record = {};
    fill(&record.header, WIRE_HINT_TARGET, pid_tgid);
    record.target_ns = target_ns;
    emit(registers, &record, sizeof(record), wakes(settings, WIRE_HINT_TARGET));
  }
}

/* createSession(manager, threads, count, target) */
SEC("uprobe")
int hint_session(struct probe_registers* registers) {
  emit_target(registers, (__s64)ARGUMENT_3(registers));
  return 0;
}

/* updateTargetWorkDuration(session, target) */
SEC("uprobe")
int hint_target(struct probe_registers* registers) {
  emit_target(registers, (__s64)ARGUMENT_1(registers));
  return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
