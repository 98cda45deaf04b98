/** Lookup of a step by its path, or a unique end of it: `workers/drain@w-2`. */

import { ConfigError } from "../../../errors.ts";
import { groupKey, type RunHistory } from "./history.ts";
import type { Runbook, Step } from "../runbook.ts";

/** A step in a run. */
export interface StepLocation {
  readonly path: string;
  readonly verb: Step["verb"];
  /** Name to answer it by; only for approvals. */
  readonly tag?: string;
  /** Key of its frozen nodes; only for fan-outs. */
  readonly group?: string;
  /** Steps in it; only for fan-outs. */
  readonly steps?: readonly Step[];
  /** Enclosing fan-out; absent outside fan-outs. */
  readonly fanOut?: StepLocation;
  /** List in which a failure aborts the rest; absent in the work itself, and where failures are allowed. */
  readonly part?: "rescue" | "always";
  /** True inside `rescue` and `always`, whose results only count for one entry of the run. */
  readonly fresh?: true;
}

interface NamedStep {
  readonly step: StepLocation;
  /** Node; absent outside fan-outs. */
  readonly node?: string;
}

/** Lists all steps of a runbook and of the runbooks it uses, parents first. */
export function listSteps(runbook: Runbook): readonly StepLocation[] {
  return stepsIn(runbook, { around: "", book: "" });
}

interface Around {
  readonly around: string;
  readonly book: string;
  readonly fanOut?: StepLocation;
  readonly fresh?: true;
}

function stepsIn(
  { steps, rescue, always }: Pick<Runbook, "steps" | "rescue" | "always">,
  at: Around,
): readonly StepLocation[] {
  const late: Around = { ...at, fresh: true };
  return [
    ...steps.flatMap((step) => listLocations(step, at)),
    ...rescue.flatMap((step) => listLocations(step, late, "rescue")),
    ...always.flatMap((step) => listLocations(step, late, "always")),
  ];
}

function listLocations(
  step: Step,
  at: Around,
  part?: "rescue" | "always",
): readonly StepLocation[] {
  const { around, book, fanOut, fresh } = at;
  const path = around === "" ? step.id : `${around}/${step.id}`;
  const place: StepLocation = {
    path,
    verb: step.verb,
    ...(step.verb === "approve" ? { tag: step.tag } : {}),
    fanOut,
    fresh,
    ...(part === undefined || step.onFailure === "continue" ? {} : { part }),
  };
  switch (step.verb) {
    case "forEach": {
      const group = groupKey({ path: book }, step.nodes);
      const fanOut = { ...place, group, steps: step.steps };
      return [fanOut, ...stepsIn(step, { ...at, around: path, fanOut })];
    }
    case "block":
      return [place, ...stepsIn(step, { ...at, around: path })];
    case "use":
      return [
        place,
        ...stepsIn(step.runbook, { ...at, around: path, book: path }),
      ];
    default:
      return [place];
  }
}

/**
 * Finds a step.
 *
 * @param word Path, or a unique end of it; with `@node` in a fan-out.
 * @throws {ConfigError} If no step or several steps match, or the node is wrong.
 */
export function stepNamed(
  runbook: Runbook,
  history: RunHistory,
  word: string,
): NamedStep {
  const at = word.indexOf("@");
  const path = at < 0 ? word : word.slice(0, at);
  const node = at < 0 ? undefined : word.slice(at + 1);
  const step = stepAt(listSteps(runbook), path);
  const { fanOut } = step;
  if (fanOut === undefined) {
    if (node === undefined) return { step };
    throw new ConfigError(`Step "${step.path}" is not in a fan-out`, {
      hint: `Name it without a node: ${step.path}`,
    });
  }
  const nodes = listNodes(history, fanOut);
  if (node !== undefined && nodes.includes(node)) return { step, node };
  const fault = node === undefined
    ? `Step "${step.path}" runs once per node`
    : `Step "${step.path}" does not run on "${node}"`;
  throw new ConfigError(fault, {
    hint: nodes.length === 0
      ? "Its nodes are not known before it starts"
      : `Name it with one of its nodes: ${
        nodes.slice(0, most).map((one) => `${step.path}@${one}`).join(", ")
      }${nodes.length > most ? ", ..." : ""}`,
  });
}

/** Refuses to skip an approval, which has to be answered. Throws `ConfigError` if the step is one. */
export function refuseApproval(run: string, { path, tag }: StepLocation): void {
  if (tag === undefined) return;
  throw new ConfigError(`Step "${path}" is an approval`, {
    hint: `Answer it with: osctl runbook approve ${run} ${tag}`,
  });
}

const most = 5;

/** Nodes of a fan-out, in order; empty before they are known. */
export function listNodes(
  { groups, start }: RunHistory,
  { path, group = "" }: StepLocation,
): readonly string[] {
  return groups.get(path) ?? groups.get(group) ?? start?.groups?.[group] ?? [];
}

function stepAt(steps: readonly StepLocation[], word: string): StepLocation {
  const exact = steps.find(({ path }) => path === word);
  if (exact !== undefined) return exact;
  const ending = steps.filter(({ path }) => path.endsWith(`/${word}`));
  const [one, ...others] = ending;
  if (one !== undefined && others.length === 0) return one;
  const among = one === undefined ? steps : ending;
  const names = among.slice(0, most).map(({ path }) => path).join(", ");
  throw new ConfigError(
    one === undefined
      ? `There is no step "${word}" in this run`
      : `"${word}" matches ${ending.length} steps`,
    { hint: `Name one: ${names}${among.length > most ? ", ..." : ""}` },
  );
}
