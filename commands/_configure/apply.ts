/** Applies machine configurations to nodes: prepare, check, guard, send. */

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

/** Context of commands that apply configurations. */
export type ApplyContext = Context<
  ApplyInputs & Partial<TrustInputs>
>;

/**
 * Context for the checks before anything is sent; also available to a runbook
 * step.
 */
export type PrepareContext = ChangeEnvironment & Pick<ApplyContext, "input">;

/** A configuration to send. */
export interface Prepared {
  readonly text: string;
  readonly name: string;
  readonly documents: readonly ConfigDocument[];
  /** Result of an earlier parse of the text. */
  readonly loaded?: Loaded;
}

/** A node and its new configuration. */
export interface NodeChange extends Intended {
  readonly prepared: Prepared;
  /**
   * The node's configuration it was made from; absent if the user supplied a
   * full one.
   */
  readonly madeFrom?: readonly ConfigDocument[];
}

/** Facts of the selected nodes, read before anything is sent. */
export interface Gathered {
  /** Facts of the nodes that answered, in node order. */
  readonly facts: readonly ConfigurationFacts[];
  /** Errors of the other nodes. */
  readonly failures: ReadonlyMap<string, unknown>;
  readonly total: number;
}

/** Reads the facts of every selected node. */
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
 * Reads a configuration to send, without empty documents.
 *
 * @param text YAML.
 * @param note Reports omitted documents.
 * @throws {ConfigError} If it is not YAML, or not a machine configuration.
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
  // Nodes refuse empty documents without saying why.
  note(`${name}: ignored empty documents: ${empty.join(", ")}`);
  return { text: encodeDocuments(documents), name, documents };
}

/** The node configuration a change is made from. */
export function madeFrom(
  { live }: Pick<ConfigurationFacts, "live">,
): Pick<NodeChange, "madeFrom"> {
  return live === undefined ? {} : { madeFrom: live.documents };
}

/** Makes the change from a node's configuration to other documents. */
export function changeTo(
  facts: ConfigurationFacts,
  documents: readonly ConfigDocument[],
): NodeChange {
  const name = `the configuration of ${facts.node}`;
  const prepared = { text: encodeDocuments(documents), name, documents };
  return { ...facts, wanted: documents, prepared, ...madeFrom(facts) };
}

/**
 * Applies configurations to nodes, or shows the changes. Throws `ConfigError`
 * for errors in a configuration and `RefusedError` for a configuration that
 * does not belong on its node, both before anything is sent. Throws
 * `NodesError` naming failed nodes.
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
 * Prepares applying configurations in a runbook step.
 *
 * @throws Like {@linkcode applyChanges}.
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

/**
 * Refuses a mode the node's version does not support. Nodes without a
 * configuration accept any.
 */
function refuseMode(changes: readonly NodeChange[], mode: ApplyMode): void {
  for (const { node, live, version } of changes) {
    const reason = live && unsupportedMode(mode, version);
    if (reason === undefined) continue;
    throw new RefusedError(`Nothing was sent to "${node}": ${reason}`);
  }
}

/**
 * Computed without the nodes: in try mode, some versions take a dry run as the
 * confirmation.
 */
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
 * Validates configurations without the nodes.
 *
 * @param context Its note prints the errors when the nodes decide.
 * @throws {ConfigError} With every error.
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
  // A configuration shared by several nodes is checked once.
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
 * Refuses configurations that do not belong on their nodes. Throws
 * `RefusedError` with every mismatch.
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
