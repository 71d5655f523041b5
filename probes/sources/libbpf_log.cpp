// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/libbpf_log.h"

#include <bpf/libbpf.h>

namespace framegov {

void silence_libbpf() { ::libbpf_set_print(nullptr); }

}  // namespace framegov
