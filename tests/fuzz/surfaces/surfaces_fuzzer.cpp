// SPDX-License-Identifier: Apache-2.0
// Any bytes as SurfaceFlinger's lists of layers and of a layer's frames, and these frames through
// the assembly, as the source does it.
#include <algorithm>

#include "probes/sources/frame_assembler.h"
#include "probes/sources/surface_flinger_text.h"
#include "tests/fuzz/invariants.h"
#include "tests/support/phone_topology.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

constexpr Instant kNow = instant_from_ns(4'000'000'000'000);

void assemble(const LayerLatency& latency) {
  static const CpuTopology kTopology = test::phone_topology();
  AssemblySettings settings;
  settings.source = SourceKind::kSurfaceFlinger;
  FrameAssembler assembler(kTopology, settings);
  assembler.set_refresh_interval(latency.refresh_period);
  FrameBatch batch;
  std::uint64_t frames = 0;
  for (const Instant ready : latency.ready) {
    batch.clear();
    assembler.queue_buffer({{7, 7, -1, ready}, 1, false}, batch);
    for (const FrameEvent& event : batch) {
      if (event.kind != FrameEvent::Kind::kFrame) {
        continue;
      }
      ++frames;
      need(event.frame.has(FramePart::kSurface), "a frame of a layer is a surface's");
      need(event.frame.generation_time() >= Duration::zero(), "a frame ends after it began");
      need(event.frame.ready <= kNow, "no frame is of the future");
    }
  }
  need(frames <= latency.ready.size(), "a buffer makes one frame");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const auto layers = parse_layer_list(text, 6);
  need(layers.size() <= 6, "no more layers than asked for");
  for (const AppLayer& layer : layers) {
    need(layer.package.find('.') != std::string::npos, "a layer is of a package");
    // It goes into a command line, and the package into the log.
    need(!has_control_character(layer.name), "a layer's name is one line");
  }
  const auto latency = parse_layer_latency(text, kNow);
  if (!latency) {
    need_one_line(latency.error().to_string());
    return 0;
  }
  need_within(to_seconds(latency->refresh_period), 1e-9, 1, "a period is up to a second");
  need(std::is_sorted(latency->ready.begin(), latency->ready.end()), "frames are ascending");
  need(latency->ready.empty() ||
           (latency->ready.front() > Instant{} && latency->ready.back() <= kNow),
       "frames are of the past");
  assemble(*latency);
  return 0;
}
