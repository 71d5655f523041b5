// SPDX-License-Identifier: Apache-2.0
// Is every text there in every language? Needs no browser: `node texts_test.mjs` alone prints what is missing.
import {existsSync, readdirSync, readFileSync} from "node:fs";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {pageSources, ROOT, WEBROOT} from "./tool.mjs";

const FOLDER = path.join(WEBROOT, "texts");
const read = file => readFileSync(path.join(ROOT, file), "utf8");
const all = (text, pattern) => [...text.matchAll(pattern)].map(match => match[1]);
const names = words => (words.match(/\{\w+\}/g) ?? []).sort().join();

/** What framegov says by codes, from its own sources. */
function codes() {
  const reasons = read("base/plan_words.cpp").match(/kReasons\[\] = \{[^]*?\n\};/)[0];
  const causes = read("governor/observers/decision.cpp").match(/to_string\(DecisionCause[^]*?\n\}/)[0];
  return [...all(reasons, /^\s+\{"([a-z-]+)",/gm).map(each => `reason_${each}`), ...all(causes, /return "([a-z]+)";/g).map(each => `cause_${each}`)];
}

/** What errors are, by their exit codes. English has none: there framegov's own words stand. */
function errors() {
  const codes = read("base/result.h").match(/enum class ExitCode[^]*?\n\};/)[0];
  return all(codes, /= ([1-9]\d*),/g).map(code => `error_${code}`);
}

/** What commands in a terminal say by a text of these files. */
const COMMANDS = readdirSync(path.join(ROOT, "cli")).filter(file => file.endsWith(".cpp")).map(file => read(`cli/${file}`)).join("\n");

/** Findings of doctor that are not well. English has none: there framegov's own words stand. */
function findings() {
  const sources = ["governor/doctor/doctor.cpp", "governor/doctor/cpufreq_findings.cpp", "governor/doctor/phone_findings.cpp", "governor/doctor/engine_findings.cpp", "governor/doctor/source_findings.cpp", "probes/context/kernel_findings.cpp", "cli/doctor_command.cpp"].map(read).join("\n");
  const found = [...sources.matchAll(/\.id = "(\w+)",\s*\.health = Health::k(Degraded|Missing)/g)].map(([, id, health]) => `doctor_${id}_${health.toLowerCase()}`);
  // Those whose id is not written out there.
  return [...new Set([...found, "doctor_policy_missing", "doctor_policy_degraded", "doctor_libhwui_degraded", "doctor_libgui_degraded"])];
}

/** What other frame engines ask for. English has none: there framegov's own words stand. */
function engines() {
  const known = read("governor/engines/frame_engine.cpp").match(/kEngines = \{[^]*?\n\};/)[0];
  return all(known, /FrameEngine\{\s*"([\w-]+)"/g).map(name => `engine_${name}`);
}

/** How power is known. English has none: there framegov's own words stand, which say why. */
const powerModels = () => all(read("governor/cpufreq/power_model.cpp").match(/name_of\(PowerModel[^]*?\n\}/)[0], /return "([\w-]+)"/g).map(model => `cli_power_${model}`);

/** Kinds of lines of the log. English has none: there the lines themselves stand. */
function logLines() {
  const sources = readdirSync(path.join(ROOT, "governor"), {recursive: true}).filter(file => file.endsWith(".cpp")).map(file => read(`governor/${file}`)).join("\n");
  return [...new Set(all(sources, /(?:\.|->)(?:error|warning|info)\(\s*"([a-z-]+)",/g))].map(code => `log_${code}`);
}

/** Why windows of `framegov ab` were left out, from its own source. */
const leftOut = () => all(read("cli/ab/window.cpp") + read("cli/ab/window.h"), /(?:return|kTooShort =) "([a-z ]+)";/g).map(why => `cli_abOut_${why.replaceAll(" ", "-")}`);

/** What draws frames. */
const frameKinds = () => all(read("probes/context/frame_kind.cpp").match(/name_of[^]*?\n\}/)[0], /return "([a-z]+)";/g).map(kind => `frameKind_${kind}`);

/** A line for each piece of English that a command for owners prints without asking these files; a name of the program is none. */
function printedProblems() {
  const developers = all(read("cli/help_text.cpp").match(/kForDevelopers = \{([^]*?)\}/)[1], /"(\w+)"/g);
  const files = readdirSync(path.join(ROOT, "cli"), {recursive: true}).filter(file => file.endsWith(".cpp") && !developers.some(each => new RegExp(`^${each}[_/.]`).test(file)));
  const printed = file => read(`cli/${file}`).replace(/\/\/.*$/gm, "").split(";").filter(statement => /std::c(out|err) *<<|std::fprintf/.test(statement));
  const english = statement => all(statement, /"((?:[^"\\\n]|\\.)*)"/g).map(words => words.replace(/\\.|%-?[\d.]*\w|^framegov: /g, " ")).filter(words => /[A-Za-z]{3}/.test(words));
  return files.flatMap(file => printed(file).flatMap(english).map(words => `cli/${file} prints "${words.trim()}" in English only`)).filter(problem => !/"(cli_|framegov )?\w*" /.test(problem));
}

/** What is wrong with the README of a language: not there, not linked, or with a command or figure that the English one has not. */
function readmeProblems(language) {
  const file = `README.${language}.md`;
  if (!existsSync(path.join(ROOT, file))) return [`${file} is missing`];
  const [english, other] = ["README.md", file].map(read);
  const figures = text => [...all(text, /(?:\.\/|`)(framegov [^`#\n]*[^`# \n])/g), ...all(text.replace(/(\d),(\d)/g, "$1.$2"), /(\d+\.\d+) ?%/g)];
  return [...(english.includes(`(${file})`) ? [] : [`README.md: no link to ${file}`]),
    ...figures(other).filter(each => !figures(english).includes(each)).map(each => `${file}: README.md has no "${each}"`)];
}

/** How hot a phone is, how grave a line of the log is, and what stands for a file where none says a value. */
function plainCodes() {
  const heat = read("base/thermal_level.h").match(/kNames = \{([^]*?)\}/)[1];
  const levels = read("governor/log/log.cpp").match(/kLevelNames\{(.*)\}/)[1];
  const origins = read("config/profile_fields.h").match(/kBuiltIn = (".*")/)[1] + read("governor/profiles/profile_control.cpp").match(/enabled = \{.*\}/g).join();
  return [...all(heat, /"(\w+)"/g).map(each => `heat_${each}`), ...all(levels, /"(\w+)"/g).map(each => `level_${each}`), ...all(origins, /"([\w ]+)"/g).map(each => `origin_${each.replaceAll(" ", "-")}`)];
}

/** A line for each text that is missing, is other than in English, or is used nowhere. */
export function textProblems() {
  const languages = readdirSync(FOLDER).map(file => [path.basename(file, ".json"), JSON.parse(readFileSync(path.join(FOLDER, file), "utf8"))]);
  const english = languages.find(([language]) => language === "en")[1];
  const listed = all(readFileSync(path.join(WEBROOT, "texts.js"), "utf8").match(/LANGUAGES = \{(.*)\}/)[1], /(\w+): "/g);
  const sources = pageSources();
  const coded = /^(mode|kind|field|pause|cause|reason|doctor|engine|frameKind|heat|level|origin|cli_abOut)_|Cores$/;
  const states = ["cli_on", "cli_off", "cli_auto"];  // of `framegov app`
  const used = key => coded.test(key) || states.includes(key) || COMMANDS.includes(`"${key}"`) || sources.includes(`"${key}"`) || new RegExp(`\\b${key}[,:}]`).test(sources);
  const problems = languages.map(([language]) => language).filter(language => !listed.includes(language)).map(language => `texts.js does not list ${language}`);
  for (const key of [...codes(), ...all(COMMANDS, /"(cli_\w+)"/g), ...leftOut(), ...frameKinds(), ...plainCodes(), ...states].filter(key => !key.endsWith("_"))) if (!(key in english)) problems.push(`en: ${key} is missing`);
  for (const key of Object.keys(english)) if (!used(key)) problems.push(`${key} is used nowhere`);
  const others = languages.filter(([language]) => language !== "en");
  // Help is the commands' own in English; which texts it needs is OwnerTexts.HelpIsThereInEveryLanguage's. None has fewer than another.
  const help = [...new Set(others.flatMap(([, texts]) => Object.keys(texts).filter(key => key.startsWith("cli_help_"))))];
  const codedElsewhere = [...findings(), ...errors(), ...engines(), ...powerModels(), ...logLines(), ...help];
  const unscripted = readFileSync(path.join(WEBROOT, "index.html"), "utf8").match(/<noscript>[^]*<\/noscript>/)[0];
  for (const language of listed) if (!unscripted.includes(`lang="${language}"`)) problems.push(`index.html: <noscript> says nothing in ${language}`);
  for (const [language, texts] of others) {
    for (const key of [...Object.keys(english), ...codedElsewhere]) if (!(key in texts)) problems.push(`${language}: ${key} is missing`);
    for (const key of Object.keys(texts)) {
      if (!(key in english) && !codedElsewhere.includes(key)) problems.push(`${language}: ${key} is no text of the page or of a command`);
      else if (key in english && names(english[key]) !== names(texts[key])) problems.push(`${language}: ${key} has other {names} than in English`);
    }
  }
  return [...problems, ...printedProblems(), ...others.flatMap(([language]) => readmeProblems(language))];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = textProblems();
  problems.forEach(problem => console.log(problem));
  process.exit(problems.length ? 1 : 0);
}
