/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* The registers that a uprobe program sees, without kernel headers or BTF: arch/arm64's struct
 * user_pt_regs and arch/x86's struct pt_regs, both unchanged for as long as uprobes exist. */
#pragma once

#include <linux/types.h>

#if defined(__TARGET_ARCH_arm64)

struct probe_registers {
  __u64 x[31];
  __u64 sp;
  __u64 pc;
  __u64 pstate;
};
#define ARGUMENT_0(r) ((r)->x[0])
#define ARGUMENT_1(r) ((r)->x[1])
#define ARGUMENT_2(r) ((r)->x[2])
#define ARGUMENT_3(r) ((r)->x[3])
#define ARGUMENT_4(r) ((r)->x[4])
#define ARGUMENT_5(r) ((r)->x[5])
#define ARGUMENT_6(r) ((r)->x[6])
#define ARGUMENT_7(r) ((r)->x[7])

#elif defined(__TARGET_ARCH_x86)

struct probe_registers {
  __u64 r15, r14, r13, r12, bp, bx;
  __u64 r11, r10, r9, r8;
  __u64 ax, cx, dx, si, di;
  __u64 orig_ax, ip, cs, flags, sp, ss;
};
/* The same numbers as on arm64; x86_64 passes six arguments in registers. */
#define ARGUMENT_0(r) ((r)->di)
#define ARGUMENT_1(r) ((r)->si)
#define ARGUMENT_2(r) ((r)->dx)
#define ARGUMENT_3(r) ((r)->cx)
#define ARGUMENT_4(r) ((r)->r8)
#define ARGUMENT_5(r) ((r)->r9)
#define ARGUMENT_6(r) 0
#define ARGUMENT_7(r) 0

#else
#error "__TARGET_ARCH_arm64 or __TARGET_ARCH_x86 must be defined"
#endif
