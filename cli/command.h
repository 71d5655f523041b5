// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"

namespace framegov::cli {

/// What a subcommand leaves behind for main(): its exit code.
struct CommandResult {
  ExitCode code = ExitCode::kOk;
};

/// Prints "framegov: message" and the hint on stderr and keeps the exit code.
void report(CommandResult& result, const Error& error);
/// The same of what has failed; nothing of what has not.
void report_failure(CommandResult& result, const Status& done);

class OwnerTexts;
/// What an error is in an owner's language, by its exit code; empty where that is English.
[[nodiscard]] std::string error_class(const Error& error, const OwnerTexts& texts);

/// Prints that, where it is not empty, on stderr: the exact English words are to come below.
void print_error_class(const Error& error, const OwnerTexts& texts);

/// Writes out what was printed, at the very end; reports it when standard output did not take all,
/// unless the command failed anyhow.
void finish_output(CommandResult& result);

// Each adds one subcommand (its options, its help with examples, its callback). One file each.
void register_check(CLI::App& app, CommandResult& result);
void register_device(CLI::App& app, CommandResult& result);
void register_doctor(CLI::App& app, CommandResult& result);
void register_locate(CLI::App& app, CommandResult& result);
void register_sim(CLI::App& app, CommandResult& result);
void register_sweep(CLI::App& app, CommandResult& result);       ///< not on a phone
void register_framebench(CLI::App& app, CommandResult& result);  ///< not on a phone
void register_tune(CLI::App& app, CommandResult& result);        ///< not on a phone
void register_profile(CLI::App& app, CommandResult& result);
void register_profile_edit(CLI::App& app, CommandResult& result);
void register_profile_share(CLI::App& app, CommandResult& result);
void register_ab(CLI::App& app, CommandResult& result);
void register_calibrate(CLI::App& app, CommandResult& result);
void register_web(CLI::App& app, CommandResult& result);
void register_import(CLI::App& app, CommandResult& result);
void register_record(CLI::App& app, CommandResult& result);
void register_status(CLI::App& app, CommandResult& result);
void register_watch(CLI::App& app, CommandResult& result);
void register_explain(CLI::App& app, CommandResult& result);
void register_pause(CLI::App& app, CommandResult& result);
void register_mode(CLI::App& app, CommandResult& result);
void register_app(CLI::App& app, CommandResult& result);
void register_engine(CLI::App& app, CommandResult& result);
void register_log(CLI::App& app, CommandResult& result);
void register_history(CLI::App& app, CommandResult& result);
void register_completion(CLI::App& app, CommandResult& result);
void register_help(CLI::App& app, CommandResult& result);
void register_man(CLI::App& app, CommandResult& result);

/// What `framegov` alone says: what it is, the commands wanted most, how the service is.
class ServiceLink;
void print_welcome(const ServiceLink& link);

/// All of them, and what `framegov` itself takes.
void register_all(CLI::App& app, CommandResult& result);

}  // namespace framegov::cli
