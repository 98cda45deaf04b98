import type { Json } from "../../../lib/json.ts";
import { enterBook } from "../engine/run_values.ts";
import type { RunbookScope } from "../engine/frame.ts";
import { groupKey } from "../journal/history.ts";
import type { Runbook } from "../runbook.ts";
import { type PlanMoment, toSeeing } from "./current_values.ts";

/** Initial values of a run. */
export interface RunStart extends PlanMoment {
  readonly runbook: Runbook;
  /** Input values; secrets as handles. */
  readonly inputs: Readonly<Record<string, Json>>;
}

interface StartGroups {
  readonly book: RunbookScope;
  /** Names of the nodes of a group, in order. */
  readonly resolveGroup: (group: string) => readonly string[];
}

/** Computes the initial values of a run, as the engine does. Throws `ConfigError` if an expression has no value. */
export async function groupsAtStart(now: RunStart): Promise<StartGroups> {
  const seeing = toSeeing(now);
  const book = await enterBook(seeing, now.runbook, "", now.inputs);
  return {
    book,
    resolveGroup: (group) => seeing.groups.get(groupKey(book, group)) ?? [],
  };
}
