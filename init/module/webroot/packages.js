// SPDX-License-Identifier: Apache-2.0
// What the root manager knows of apps: their names and icons. A browser knows neither; package names do then.
const labels = new Map();

const manager = (name, ...words) => {
  try { return JSON.parse(window.ksu?.[name]?.(...words) ?? "[]"); } catch { return []; }
};

/** The packages that are installed; none where nobody tells. */
export const installed = () => manager("listPackages", "user");

/** Asks for the names of `packages`, each once. */
export function learnNames(packages) {
  const unknown = packages.filter(app => !labels.has(app));
  if (unknown.length === 0) return;
  unknown.forEach(app => labels.set(app, app));
  for (const {packageName, appLabel} of manager("getPackagesInfo", JSON.stringify(unknown))) if (appLabel) labels.set(packageName, appLabel);
}

export function nameOf(app) {
  learnNames([app]);
  return labels.get(app);
}

/** An icon where the manager has one; elsewhere the first letter of the name, or of the package's last word, stands for it. */
export function iconOf(app) {
  const letter = document.createElement("span");
  letter.className = "icon";
  letter.setAttribute("aria-hidden", "true");
  letter.textContent = ([...nameOf(app).split(".").at(-1)][0] ?? "?").toUpperCase();
  if (window.ksu?.getPackagesInfo) {
    const image = new Image();
    image.alt = "";
    image.src = `ksu://icon/${app}`;
    image.addEventListener("load", () => letter.replaceChildren(image));
  }
  return letter;
}
