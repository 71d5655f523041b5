// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace framegov {

/// Takes libbpf's messages off standard error, for the whole program: what goes wrong is told by
/// the errors that its functions return. Sources do this when they are opened.
void silence_libbpf();

}  // namespace framegov
