// SPDX-License-Identifier: Apache-2.0
#include "governor/state/trusted_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "config/load.h"

namespace framegov {

namespace {

Status check(const std::filesystem::path& path, bool folder) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return {};
  }
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    return fail(ExitCode::kNoPermission,
                path.string() + ": belongs to user " + std::to_string(status.st_uid) +
                    ", who could control the service",
                "chown 0 " + path.string());
  }
  const bool sticky = folder && (status.st_mode & S_ISVTX) != 0;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !sticky) {
    return fail(
        ExitCode::kNoPermission,
        path.string() + ": users other than its owner may write it, and so control the service",
        "chmod go-w " + path.string());
  }
  return {};
}

}  // namespace

Status check_trusted(const std::filesystem::path& file) {
  if (Status checked = check(file, false); !checked) {
    return checked;
  }
  const std::filesystem::path folder = file.parent_path();
  return check(folder.empty() ? "." : folder, true);
}

Result<Settings> load_trusted_settings(const std::filesystem::path& file) {
  if (Status trusted = file.empty() ? Status{} : check_trusted(file); !trusted) {
    return tl::unexpected(trusted.error());
  }
  auto settings = load_settings(file);
  if (!settings) {
    return settings;
  }
  const Status trusted = check_trusted(profiles_folder(settings->service) / "any");
  return trusted ? std::move(settings) : tl::unexpected(trusted.error());
}

}  // namespace framegov
