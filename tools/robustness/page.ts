/** Counts of trials for docs/robustness.md. */

import { formatTable } from "../docs/markdown.ts";
import { attacks } from "./attacks.ts";
import { type PromiseName, promises, type Violation } from "./judge.ts";
import type { ProcessEnd } from "./history.ts";
import type { RemovedFix } from "./removed_fixes.ts";

/** Counted fields of a trial. */
export interface CountedTrial {
  readonly attack: { readonly name: string };
  readonly violations: readonly Violation[];
  readonly history: { readonly processes: readonly ProcessEnd[] };
}

/** Time, attacks and duration of a run. */
export interface CountedRun {
  readonly date: string;
  readonly version: string;
  readonly seed: number;
  readonly seconds: number;
}

/** Formats the counts of a run. */
export function formatCounts(
  trials: readonly CountedTrial[],
  { date, version, seed, seconds }: CountedRun,
): string {
  const processes = trials.flatMap(({ history }) => history.processes);
  const killed = processes.filter(({ status }) => status === -1).length;
  const found = trials.flatMap(({ violations }) => violations);
  const broken = (name: PromiseName) =>
    found.filter(({ promise }) => promise === name).length;
  const names = Object.keys(promises) as PromiseName[]; // as it is declared
  return `${date}, osctl ${version}, seed ${seed}: ${trials.length} trials in ${
    Math.round(seconds / 60)
  } minutes, with ${processes.length} processes of osctl, ${killed} of them killed.

${
    formatTable(
      ["Promise", "Trials", "Broken"],
      names.map((name) =>
        `| ${promises[name]} | ${trials.length} | ${broken(name)} |`
      ),
    )
  }
${
    formatTable(
      ["Attack", "What happens", "Trials", "Broken promises"],
      attacks.map(({ name, does }) => {
        const own = trials.filter(({ attack }) => attack.name === name);
        const count = own.flatMap(({ violations }) => violations).length;
        return `| \`${name}\` | ${does} | ${own.length} | ${count} |`;
      }),
    )
  }`;
}

/** A removed fix with the judge's findings. */
export interface ProvenFix extends Pick<RemovedFix, "does" | "attack"> {
  readonly violations: readonly Violation[];
}

/** Formats the judge's findings without fixes. */
export function formatProofs(proofs: readonly ProvenFix[]): string {
  return formatTable(
    ["Without the fix", "Found by", "What the judge says"],
    proofs.map(({ does, attack, violations }) => {
      const [first] = violations;
      const more = violations.length - 1;
      const seen = first === undefined
        ? "nothing"
        : `${first.promise}: ${shorten(first.seen)}${
          more > 0 ? `, and ${more} more` : ""
        }`;
      return `| ${does} | \`${attack}\` | ${seen.replaceAll("|", "\\|")} |`;
    }),
  );
}

/** Removes variable or long parts. */
function shorten(seen: string): string {
  const plain = seen.replaceAll("simulated-", "")
    .replace(/of "(\w+(?: \w+)?)[^"]*"/, 'of "$1 …"')
    .replace(/ in \/\S+\//, " in ")
    .replace(/^"runbook run builtin:(\S+)[^"]*"/, "$1")
    .replace(/: \d\d:\d\d:\d\d \S+ (approval [\w-]+).*$/s, ": $1");
  return plain.length > 120 ? `${plain.slice(0, 119)}…` : plain;
}

/**
 * Replaces the text between markers.
 *
 * @throws {Error} If the page has no such markers.
 */
export function between(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no "${start}"`);
  const before = page.slice(0, from + start.length);
  return `${before}\n\n${text.trim()}\n\n${page.slice(to)}`;
}
