// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <string>

#include "base/result.h"
#include "config/load.h"
#include "config/settings.h"

namespace framegov {

/// load_settings(), if all that root would obey can be trusted (check_trusted): the file (empty:
/// none), the profiles folder, each profile in it, and the programs that are to be run. Else any
/// app that can write one of them could tell the service what to run and where to write.
/// With a draft: as things would be with it.
[[nodiscard]] Result<Settings> load_trusted_settings(const std::filesystem::path& file,
                                                     const ProfileDraft& draft = {});

/// What a command is told to go by: root's must be trusted as the service's are, as it names
/// programs to run and files to read and write; anybody else has no rights to lend to others.
[[nodiscard]] Result<Settings> load_command_settings(const std::filesystem::path& file,
                                                     const ProfileDraft& draft = {});
/// The same of a file that becomes a profile.
[[nodiscard]] Result<std::string> read_command_file(const std::filesystem::path& file);

/// Where the limits are that `framegovd --restore` is to put back: as the file says, whatever else
/// is wrong with it. No profile is read. Error: the file cannot be trusted or read.
[[nodiscard]] Result<ServiceSettings> load_restore_settings(const std::filesystem::path& file);

}  // namespace framegov
