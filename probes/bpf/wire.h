/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the BPF programs and the service say to each other: records in the ring buffer, and the
 * programs' configuration. Read by clang's BPF target as C and by the service as C++; every size is
 * fixed and checked on both sides. Times are CLOCK_MONOTONIC ns (bpf_ktime_get_ns).
 */
#pragma once

#include <linux/types.h>

#ifdef __cplusplus
#define WIRE_ASSERT_SIZE(type, size) static_assert(sizeof(type) == (size), #type)
#else
#define WIRE_ASSERT_SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#endif

/* Changes whenever a record does. Both sides come from one build; the tests of recorded bytes and a
 * later out-of-process reader need it. */
#define WIRE_VERSION 1

/* Most int64 fields that Java hands over in FrameInfo. */
#define WIRE_FRAME_INFO_FIELDS 14
/* The same and the native fields behind them. */
#define WIRE_FINISHED_FIELDS 25

/* NOLINTBEGIN(readability-identifier-naming): C, in the kernel's manner. */
enum wire_kind {
  WIRE_FRAME_INFO = 1,
  WIRE_QUEUE_BUFFER = 2,
  WIRE_DEQUEUE_BUFFER = 3,
  WIRE_FRAME_START = 4,
  WIRE_FRAME_FINISHED = 5,
  WIRE_HINT_TARGET = 6,
};

struct wire_header {
  __u16 version;
  __u16 kind;    /* enum wire_kind */
  __u32 cpu;     /* that the thread was on */
  __u32 tgid;    /* process */
  __u32 tid;     /* thread */
  __u64 time_ns; /* of the probe hit */
};
WIRE_ASSERT_SIZE(struct wire_header, 24);

/* The UI thread hands a frame to the render thread. */
struct wire_frame_info {
  struct wire_header header;
  __u32 count;    /* fields that libhwui asked for, as it said it; 0 when they could not be read */
  __u32 reserved; /* 0 */
  __s64 fields[WIRE_FRAME_INFO_FIELDS]; /* the first `count` (at most all), the rest 0 */
};
WIRE_ASSERT_SIZE(struct wire_frame_info, 144);

/* A buffer goes to SurfaceFlinger. */
struct wire_queue_buffer {
  struct wire_header header;
  __u64 surface;       /* address of the Surface: a name for it within the process */
  __u32 render_thread; /* 1: the thread is called RenderThread, as libhwui's is */
  __u32 reserved;      /* 0 */
};
WIRE_ASSERT_SIZE(struct wire_queue_buffer, 40);

/* A thread that waited this long for its buffer, and is no RenderThread, begins its frame then. */
#define WIRE_WAITED_NS 500000ULL

/* A buffer was asked for and given; header.time_ns is the return. */
struct wire_dequeue_buffer {
  struct wire_header header;
  __u64 surface;
  __u64 entered_ns;
  __u32 render_thread; /* as above */
  __u32 reserved;      /* 0 */
};
WIRE_ASSERT_SIZE(struct wire_dequeue_buffer, 48);

/* A thread receives its vsync: the first call of a burst. */
struct wire_frame_start {
  struct wire_header header;
};
WIRE_ASSERT_SIZE(struct wire_frame_start, 24);

/* The GPU is done: FrameInfo with its native fields, which begin at the process's own count. */
struct wire_frame_finished {
  struct wire_header header;
  __s64 fields[WIRE_FINISHED_FIELDS]; /* all 0 when they could not be read */
};
WIRE_ASSERT_SIZE(struct wire_frame_finished, 224);

/* An app tells how long the work of a frame may take, when a session begins or this changes. */
struct wire_hint_target {
  struct wire_header header;
  __s64 target_ns; /* as the app says it */
};
WIRE_ASSERT_SIZE(struct wire_hint_target, 32);

/* Element 0 of the map `config`. */
struct wire_config {
  __u32 destination_register; /* argument register of the buffer at the frame-info call: 0 to 7 */
  __u32 watch_all;            /* 1: every process, else those in the map `watched` */
  __u32 wake_kinds;           /* bit 1 << kind: such a record wakes the reader */
  __u32 reserved;             /* 0 */
};
WIRE_ASSERT_SIZE(struct wire_config, 16);
/* NOLINTEND(readability-identifier-naming) */
