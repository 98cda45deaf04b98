/** Invariants of the records of a run: no secrets, a journal that replays, a complete report, a stable end. */

import { learnSecret } from "../../../config/documents/load.ts";
import { createMasker } from "../../../lib/masker.ts";
import { instanceKey, RunHistory } from "../../runbooks/journal/history.ts";
import { residueList } from "../../runbooks/journal/residue.ts";
import type { TargetReport } from "../../runbooks/event.ts";
import type { Evidence } from "./evidence.ts";
import { foundFrom, type InvariantFinding, unchecked } from "./invariant.ts";

/** I9: no secret is in the journal, events, files or terminal output. */
export function noSecrets(
  { secrets, journalText, events, files, report }: Evidence,
): InvariantFinding {
  const masker = createMasker();
  for (const secret of secrets) learnSecret(secret, masker);
  const decoder = new TextDecoder();
  const texts: readonly (readonly [name: string, text: string])[] = [
    ["the journal", journalText],
    ["an event", events.map((event) => JSON.stringify(event)).join("\n")],
    ["the report", JSON.stringify(report ?? {})],
    ...files.map(({ path, bytes }) => [path, decoder.decode(bytes)] as const),
  ];
  return foundFrom(
    texts.flatMap(([name, text]) =>
      masker.mask(text) === text ? [] : [`${name} holds a secret`]
    ),
  );
}

/** I10: the journal replays to the state that the process reported. */
export function replays({ records, report }: Evidence): InvariantFinding {
  if (report === undefined) return unchecked;
  const history = new RunHistory();
  for (const record of records) history.add(record);
  const wrong: string[] = [];
  const state = history.end?.state;
  if (state !== report.state) {
    wrong.push(
      `the journal ends with ${state}, the report with ${report.state}`,
    );
  }
  for (const { path, node, state } of report.targets) {
    const known = history.nodes.get(instanceKey(path, node))?.state;
    const isSame = known === state ||
      known === undefined &&
        (state === "not-reached" || state === "interrupted") ||
      history.dropped.has(node);
    if (!isSame) {
      wrong.push(
        `${node} in ${path}: the journal has ${known}, the report ${state}`,
      );
    }
  }
  const left = listTexts(residueList(history.residue));
  const reported = listTexts(report.residue);
  if (left !== reported) {
    wrong.push(
      `left on nodes: the journal has ${left}, the report ${reported}`,
    );
  }
  return foundFrom(wrong);
}

function listTexts(residue: readonly { readonly message: string }[]): string {
  const texts = residue.map(({ message }) => message).toSorted();
  return texts.length === 0 ? "nothing" : texts.join("; ");
}

/** I11: the buckets of the report contain every target exactly once. */
export function everyTargetOnce(
  { events, report }: Evidence,
): InvariantFinding {
  if (report === undefined) return unchecked;
  const last = events.findLastIndex(({ type }) =>
    type === "run.started" || type === "run.resumed"
  );
  const own = events.slice(Math.max(0, last));
  const expected = own.flatMap(({ type, path = "", data }) =>
    type === "group.resolved" && Array.isArray(data.nodes)
      ? data.nodes.map((node) => formatKey({ path, node: String(node) }))
      : []
  );
  const found = report.targets.map(formatKey);
  const twice = found.filter((key, index) => found.indexOf(key) !== index);
  const missing = expected.filter((key) => !found.includes(key));
  return foundFrom([
    ...twice.map((key) => `${key} appears twice`),
    ...missing.map((key) => `${key} is missing`),
  ]);
}

function formatKey(
  { path, node }: Pick<TargetReport, "path" | "node">,
): string {
  return `${node} in ${path}`;
}

/** I12: resuming a finished run changes nothing. */
export function staysEnded({ callsAfterEnd }: Evidence): InvariantFinding {
  if (callsAfterEnd === undefined) return unchecked;
  return foundFrom(
    callsAfterEnd.map(({ method, node }) => `${method} was sent to ${node}`),
  );
}
