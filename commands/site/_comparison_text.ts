/** A comparison as text. */

import type {
  NodeComparison,
  SiteDifference,
  SiteNeed,
} from "../../workflows/site/compare_site.ts";

const needTexts: Readonly<Record<SiteNeed, string>> = {
  nothing: "no reboot",
  reboot: "needs a reboot",
  upgrade: "needs an upgrade",
  install: "needs its configuration",
  reset: "needs a reset",
};

/** A node with its differences, as lines. */
export function formatComparison(
  { node, role, state, reason, differences }: NodeComparison,
): string {
  const why = reason === null ? "" : `: ${reason}`;
  const head = `${node} (${role}): ${state}${why}\n`;
  return head + differences.map(formatDifference).join("");
}

function formatDifference(
  { subject, name, live, declared, diff, needs }: SiteDifference,
): string {
  const what = name === "" ? subject : `${subject} ${name}`;
  const need = needTexts[needs];
  if (diff !== null) return `  ${what}, ${need}\n${indent(diff)}`;
  return `  ${what}: ${live ?? "none"} -> ${declared ?? "none"}, ${need}\n`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "    ");
}
