// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a service that was taken over asks of its command runner. What is taken is
// exactly what was sent.
#include <cstddef>
#include <cstdint>

#include "probes/context/errand_message.h"
#include "tests/fuzz/invariants.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::fuzz;
  const std::string_view bytes = text_of(data, size);
  const auto message = parse_errand(bytes);
  if (!message) {
    return 0;
  }
  need(message->head.words <= message->texts.size(), "words are among the texts");
  const auto first_variable = message->texts.begin() + message->head.words;
  const std::string again = errand_bytes(message->head, {message->texts.begin(), first_variable},
                                         {first_variable, message->texts.end()});
  need(again.size() == bytes.size(), "nothing is added or left out");
  need(std::string_view(again).substr(sizeof(ErrandHead)) == bytes.substr(sizeof(ErrandHead)),
       "texts are as they were sent");  // the head has padding, which is nobody's
  return 0;
}
