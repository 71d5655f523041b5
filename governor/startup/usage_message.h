// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace framegov {

/// Lets the parser tell a mistake of the command line as the program tells everything else: "NAME:
/// what", then where to read on. A word that nobody knows is named, with the one that it may be a
/// slip of the pen of; the parser itself would first miss what the word was meant to be.
void tell_mistakes_as_program(CLI::App& app);

}  // namespace framegov
