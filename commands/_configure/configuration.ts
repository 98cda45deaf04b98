/** Configurations to send: made from files and from facts of nodes, then checked. */

import {
  type ConfigDocument,
  loadDocuments,
  type Loaded,
  mainKind,
} from "../../config/documents/load.ts";
import { requireConfiguration } from "../../config/documents/require_configuration.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import {
  DocumentsError,
  type Problem,
  problemText,
} from "../../config/documents/problem.ts";
import { validateDocuments } from "../../config/validate.ts";
import { ConfigError, NodesError, RefusedError } from "../../errors.ts";
import { computing } from "../../interrupts.ts";
import { yieldPeriodically } from "../../lib/timer.ts";
import {
  type ConfigurationFacts,
  readFacts,
} from "../../workflows/configuration/facts.ts";
import { objections } from "../../workflows/configuration/guards.ts";
import type { ChangeEnvironment } from "../../workflows/operations/change.ts";
import type { NodeChange as AppliedChange } from "../../workflows/operations/node/change_configuration.ts";
import type { TrustInputs } from "../_session/server_trust.ts";
import type { ApplyInputs } from "./apply_inputs.ts";

/** Flags of commands that apply configurations. */
export type AnyApplyInputs = ApplyInputs & Partial<TrustInputs>;

/** Context in which configurations are made; also available to a runbook step. */
export type ConfigureContext<Inputs = AnyApplyInputs> = ChangeEnvironment & {
  readonly input: Inputs;
};

/** A configuration to send. */
export interface Prepared {
  readonly text: string;
  readonly name: string;
  readonly wanted: readonly ConfigDocument[];
  /** Result of an earlier parse of the text. */
  readonly loaded?: Loaded;
}

/** A node and its new configuration. */
export interface NodeChange extends AppliedChange, Prepared {}

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
  { nodes, input }: ConfigureContext,
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
  const { documents: wanted, empty } = loaded;
  if (empty.length === 0) return { text, name, wanted, loaded };
  // Nodes refuse empty documents without saying why.
  note(`${name}: ignored empty documents: ${empty.join(", ")}`);
  return { text: encodeDocuments(wanted), name, wanted };
}

/** Makes the change from a node's configuration to other documents. */
export function changeTo(
  facts: ConfigurationFacts,
  wanted: readonly ConfigDocument[],
): NodeChange {
  const name = `the configuration of ${facts.node}`;
  const text = encodeDocuments(wanted);
  return { ...facts, wanted, text, name, isDerived: true };
}

/**
 * Validates configurations without the nodes, and refuses those that do not belong on their nodes.
 *
 * @throws {ConfigError} With every error in them.
 * @throws {RefusedError} With every mismatch.
 */
export async function checkChanges(
  changes: readonly NodeChange[],
  context: CheckContext,
): Promise<void> {
  for (const change of changes) requireMain(change);
  const { validate, allow } = context.input;
  if (validate !== "off") await validateChanges(changes, context);
  guardChanges(changes, allow);
}

type CheckContext = Pick<ConfigureContext, "note" | "signal"> & {
  readonly input: Pick<ApplyInputs, "validate" | "allow">;
};

async function validateChanges(
  changes: readonly NodeChange[],
  { input, note, signal }: CheckContext,
): Promise<void> {
  // A configuration shared by several nodes is checked once.
  const distinct = changes.filter(({ wanted, platform }, i) =>
    i ===
      changes.findIndex((other) =>
        other.wanted === wanted && other.platform === platform
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
  if (input.validate === "warn") {
    for (const text of found.keys()) note(`warning: ${text}`);
    return;
  }
  const { message } = new DocumentsError(`"${first.name}"`, [
    ...found.values(),
  ]);
  throw new ConfigError(message, {
    hint: "Nothing was sent; to let the nodes decide: --validate=warn",
  });
}

function errorsIn(change: NodeChange) {
  const loaded = change.loaded ?? loadDocuments(change.text, change.name);
  const problems = change.platform === undefined
    ? loaded.problems
    : validateDocuments(loaded, { mode: change.platform });
  return problems.filter(({ level }) => level === "error")
    .map((problem) => [problemText(problem), problem] as const);
}

function requireMain({ node, live, name, wanted }: NodeChange): void {
  const isWhole = wanted.some(({ kind }) => kind === mainKind);
  if (isWhole || live === undefined) return;
  throw new ConfigError(
    `Cannot apply "${name}" to "${node}": it has no document with "machine"`,
    {
      hint:
        `Add documents to a configuration with: osctl patch machineconfig --nodes ${node}`,
    },
  );
}

function guardChanges(
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
