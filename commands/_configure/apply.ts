/** Giving configurations to nodes: looked at, checked, held back or sent. */

import {
  type ConfigDocument,
  loadDocuments,
  type Loaded,
  mainKind,
} from "../../config/documents/load.ts";
import { requireConfiguration } from "../../config/documents/require_configuration.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import {
  type Problem,
  problemText,
  refusal,
} from "../../config/documents/problem.ts";
import { validateDocuments } from "../../config/validate.ts";
import {
  ConfigError,
  NodesError,
  OsctlError,
  RefusedError,
} from "../../errors.ts";
import { computing } from "../../interrupts.ts";
import { yieldPeriodically } from "../../lib/timer.ts";
import {
  type ConfigurationFacts,
  readFacts,
} from "../../workflows/configuration/facts.ts";
import {
  type Intended,
  objections,
} from "../../workflows/configuration/guards.ts";
import type {
  ChangeEnvironment,
  PreparedChange,
} from "../../workflows/operations/change.ts";
import { type AppliedRow, prepareSend, sendChanges } from "./apply_send.ts";
import type { ApplyInputs, ValidatePolicy } from "./apply_inputs.ts";
import { type PlannedRow, plannedRow, unsupportedMode } from "./apply_plan.ts";
import type { ApplyMode } from "../../workflows/operations/node/apply_config.ts";
import type { Context } from "../_kit/mod.ts";
import type { TrustInputs } from "../_session/server_trust.ts";

/** What commands that give configurations are given. */
export type ApplyContext = Context<
  ApplyInputs & Partial<TrustInputs>
>;

/** What is checked of it before anything is sent; a step of a runbook has that, too. */
export type PrepareContext = ChangeEnvironment & Pick<ApplyContext, "input">;

/** A configuration as it will be sent. */
export interface Prepared {
  readonly text: string;
  readonly name: string;
  readonly documents: readonly ConfigDocument[];
  /** What reading the text gave, as far as it has been read already. */
  readonly loaded?: Loaded;
}

/** A node, and the configuration it is to be given. */
export interface NodeChange extends Intended {
  readonly prepared: Prepared;
  /** The configuration of the node that it was made from; absent when it is the user's own. */
  readonly madeFrom?: readonly ConfigDocument[];
}

/** The selected nodes before anything is sent. */
export interface Gathered {
  /** Facts of those that answered, in the order of the nodes. */
  readonly facts: readonly ConfigurationFacts[];
  /** What the others failed with. */
  readonly failures: ReadonlyMap<string, unknown>;
  readonly total: number;
}

/** Looks at every selected node. */
export async function gatherFacts(
  { nodes, input }: Pick<ApplyContext, "nodes" | "input">,
): Promise<Gathered> {
  const names = await nodes.names();
  const facts: ConfigurationFacts[] = [];
  let failures: ReadonlyMap<string, unknown> = new Map();
  const maintenance = input.insecure ?? false;
  try {
    const answers = nodes.call((client) => readFacts(client, { maintenance }));
    for await (const { value } of answers) facts.push(value);
  } catch (error) {
    if (!(error instanceof NodesError)) throw error;
    failures = error.failures;
  }
  facts.sort((a, b) => names.indexOf(a.node) - names.indexOf(b.node));
  return { facts, failures, total: names.length };
}

/**
 * Reads a configuration that is to be sent; documents that hold nothing are omitted.
 *
 * @param text YAML.
 * @param note Reports what was omitted.
 * @throws {ConfigError} If it is not YAML, or no machine configuration.
 */
export function prepare(
  text: string,
  name: string,
  note: (text: string) => void,
): Prepared {
  const loaded = loadDocuments(text, name);
  requireConfiguration(loaded, name);
  const { documents, empty } = loaded;
  if (empty.length === 0) return { text, name, documents, loaded };
  // Nodes refuse what is empty, and do not say why.
  note(`${name}: ignored empty documents: ${empty.join(", ")}`);
  return { text: encodeDocuments(documents), name, documents };
}

/** What a change of the configuration of a node is made from. */
export function madeFrom(
  { live }: Pick<ConfigurationFacts, "live">,
): Pick<NodeChange, "madeFrom"> {
  return live === undefined ? {} : { madeFrom: live.documents };
}

/** The change of a node from its configuration to other documents. */
export function changeTo(
  facts: ConfigurationFacts,
  documents: readonly ConfigDocument[],
): NodeChange {
  const name = `the configuration of ${facts.node}`;
  const prepared = { text: encodeDocuments(documents), name, documents };
  return { ...facts, wanted: documents, prepared, ...madeFrom(facts) };
}

/**
 * Gives nodes their configurations, or shows what that would change. Throws `ConfigError` for errors
 * in a configuration; nothing was sent. Throws `RefusedError` for a configuration that does not belong
 * on its node; nothing was sent. Throws `NodesError` naming nodes that failed.
 */
export async function* applyChanges(
  context: ApplyContext,
  { failures, total }: Gathered,
  changes: readonly NodeChange[],
): AsyncGenerator<AppliedRow | PlannedRow> {
  const { input } = context;
  await checkChanges(changes, input.validate, context);
  guardChanges(changes, input.allow);
  const failed = new Map(failures);
  try {
    if (input.dryRun) yield* plannedRows(context, changes);
    else if (changes.length > 0) {
      refuseMode(changes, input.mode);
      yield* sendChanges(context, changes);
    }
  } catch (error) {
    if (!(error instanceof NodesError)) throw error;
    for (const [node, cause] of error.failures) failed.set(node, cause);
  }
  if (failed.size > 0) throw new NodesError(failed, total);
}

/**
 * Prepares giving a node its configuration in a step of a runbook.
 *
 * @throws As {@linkcode applyChanges} does.
 */
export async function prepareChanges(
  { input, ...found }: PrepareContext,
  { failures, total }: Gathered,
  changes: readonly NodeChange[],
): Promise<PreparedChange> {
  await checkChanges(changes, input.validate, found);
  guardChanges(changes, input.allow);
  refuseMode(changes, input.mode);
  if (failures.size > 0) throw new NodesError(failures, total);
  if (changes.length === 0) return { input: null, names: [] };
  return await prepareSend({ input, ...found }, changes);
}

/** Refuses a mode that a node's version does not support. Nodes without a configuration take any. */
function refuseMode(changes: readonly NodeChange[], mode: ApplyMode): void {
  for (const { node, live, version } of changes) {
    const reason = live && unsupportedMode(mode, version);
    if (reason === undefined) continue;
    throw new RefusedError(`Nothing was sent to "${node}": ${reason}`);
  }
}

/** Nodes are not asked: to some a dry run is the confirmation of what they try. */
async function* plannedRows(
  { input, signal }: ApplyContext,
  changes: readonly NodeChange[],
): AsyncGenerator<PlannedRow> {
  const failed = new Map<string, unknown>();
  for (const change of changes) {
    const isComparable = change.live !== undefined || input.insecure;
    if (isComparable) yield await plannedRow(change, input.mode, signal);
    else failed.set(change.node, incomparable());
  }
  if (failed.size > 0) throw new NodesError(failed, changes.length);
}

function incomparable(): OsctlError {
  return new OsctlError(
    "Cannot read the current configuration of the node",
    { hint: "Use --insecure for a node that has no configuration yet" },
  );
}

/**
 * Looks for errors, as far as that can be done without the nodes.
 *
 * @param context Its note shows them, when nodes are to decide.
 * @throws {ConfigError} Naming every error.
 */
export async function checkChanges(
  changes: readonly NodeChange[],
  policy: ValidatePolicy,
  { note, signal }: Pick<ApplyContext, "note" | "signal">,
): Promise<void> {
  for (const { node, live, prepared } of changes) {
    requireMain(node, live, prepared);
  }
  if (policy === "off") return;
  // What several nodes are given is read and checked once.
  const distinct = changes.filter(({ prepared, platform }, i) =>
    i ===
      changes.findIndex((other) =>
        other.prepared === prepared && other.platform === platform
      )
  );
  const found = new Map<string, Problem>();
  const breathe = yieldPeriodically(signal);
  for (const change of distinct) {
    computing();
    for (const [text, problem] of errorsIn(change)) found.set(text, problem);
    await breathe();
  }
  const [first] = changes;
  if (found.size === 0 || first === undefined) return;
  if (policy === "warn") {
    for (const text of found.keys()) note(`WARNING: ${text}`);
    return;
  }
  const { name } = first.prepared;
  const { message } = refusal(`"${name}"`, [...found.values()]);
  throw new ConfigError(message, {
    hint: "Nothing was sent; to let the nodes decide: --validate=warn",
  });
}

function errorsIn({ platform, prepared }: NodeChange) {
  const loaded = prepared.loaded ?? loadDocuments(prepared.text, prepared.name);
  const problems = platform === undefined
    ? loaded.problems
    : validateDocuments(loaded, { mode: platform });
  return problems.filter(({ level }) => level === "error")
    .map((problem) => [problemText(problem), problem] as const);
}

function requireMain(
  node: string,
  live: NodeChange["live"],
  { name, documents }: Prepared,
): void {
  const isWhole = documents.some(({ kind }) => kind === mainKind);
  if (isWhole || live === undefined) return;
  throw new ConfigError(
    `Cannot apply "${name}" to "${node}": it has no document with "machine"`,
    {
      hint:
        `Add documents to a configuration with: osctl patch machineconfig --nodes ${node}`,
    },
  );
}

/**
 * Holds back configurations that do not belong on their nodes. Throws `RefusedError` naming everything
 * that does not fit.
 */
export function guardChanges(
  changes: readonly NodeChange[],
  allow: readonly string[],
): void {
  const found = objections(changes, new Set(allow));
  if (found.length === 0) return;
  const words = [...new Set(found.map(({ allowance }) => allowance))];
  const reasons = found.map(({ reason }) => reason);
  throw new RefusedError(
    reasons.length === 1
      ? `Nothing was sent: ${reasons[0]}`
      : `Nothing was sent:\n${reasons.map((line) => `  ${line}`).join("\n")}`,
    { hint: `To do it anyway: --allow ${words.join(",")}` },
  );
}
