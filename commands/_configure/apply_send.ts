import { findFields, mainKind } from "../../config/documents/load.ts";
import { redact } from "../../config/documents/redact.ts";
import { configurationHash } from "../../config/change/configuration_hash.ts";
import { staticAddresses } from "../../config/change/node_unique.ts";
import { rebootNeed } from "../../config/change/reboot_need.ts";
import { UsageError } from "../../errors.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import {
  type ApplyConfiguration,
  ApplyConfigurationRequest_Mode as Mode,
} from "../../transport/gen/machine_configuration.ts";
import type { Outcome } from "../../workflows/operations/operation.ts";
import {
  applyConfig,
  type ApplyInput,
  type ApplySource,
} from "../../workflows/operations/node/apply_config.ts";
import type { ApplyContext, NodeChange, PrepareContext } from "./apply.ts";
import type { PreparedChange } from "../../workflows/operations/change.ts";
import { operatePrepared } from "../_kit/operate.ts";
import { type TrustedNodes, trustServers } from "../_session/server_trust.ts";

/**
 * Outcome of applying a configuration to one node. Source:
 * `MachineService.ApplyConfiguration`.
 */
export interface AppliedRow {
  readonly node: string;
  /** `done`, `unchanged` or `accepted`; anything else is a failure. */
  readonly outcome: Outcome;
  readonly reason: string;
  /**
   * Mode chosen by the node: `auto`, `no-reboot`, `reboot`, `staged`, `try`.
   */
  readonly mode: string;
  /** Details from the node; may have several lines. */
  readonly details: string;
  /** Warnings from the node. */
  readonly warnings: readonly string[];
}

/**
 * Sends configurations, and waits until they take effect.
 *
 * @param changes One or more changes.
 * @throws {NodesError} Naming nodes on which it failed.
 */
export async function* sendChanges(
  context: ApplyContext,
  changes: readonly NodeChange[],
): AsyncGenerator<AppliedRow> {
  const { input, nodes } = context;
  const prepared = await prepareSend(context, changes);
  using trusted = input.insecure
    ? await trustedNodes(context, changes)
    : undefined;
  yield* operatePrepared<AppliedRow>({
    ...context,
    nodes: trusted?.nodes ?? nodes,
    // The wait timeout is `--wait-timeout` here.
    input: { ...input, timeout: input.waitTimeout },
  }, prepared);
}

/** Nodes without a configuration cannot prove their identity. */
function trustedNodes(
  context: ApplyContext,
  changes: readonly NodeChange[],
): Promise<TrustedNodes> {
  const { certFingerprint = [], trustAny = false } = context.input;
  const isHarmless = trustAny || !changes.some(holdsSecrets);
  return trustServers(
    { ...context, input: { certFingerprint, trustAny: isHarmless } },
    changes.map(toNode),
    "the configuration",
  );
}

/** A document not known to be harmless counts as secret. */
function holdsSecrets({ prepared: { documents } }: NodeChange): boolean {
  return documents.some(({ kind, root, schema }) => {
    if (kind === mainKind || schema === undefined) return true;
    let found = false;
    redact(root, findFields(schema), (_, text) => {
      found = true;
      return text;
    });
    return found;
  });
}

/**
 * Prepares sending configurations.
 *
 * @param changes One or more changes.
 * @returns Its rows are {@linkcode AppliedRow}s.
 */
export async function prepareSend(
  context: PrepareContext,
  changes: readonly NodeChange[],
): Promise<PreparedChange> {
  const { input, note } = context;
  const answers = new Map<string, ApplyConfiguration>();
  const texts = collectTexts(changes);
  const source: ApplySource = {
    textOf: (node) => texts.get(node),
    dial: (node, place) => dial(context, node, place),
    answered: (node, answer) => void answers.set(node, answer),
    maintenance: input.insecure ?? false,
  };
  const rebooting = applyConfig(source, true);
  const writing = applyConfig(source, false);
  const reboots = new Set(
    input.insecure
      ? []
      : changes.filter((change) => needsReboot(change, input.mode)).map(toNode),
  );
  return {
    operation: reboots.size > 0 ? rebooting : writing,
    operationOf: (node) => reboots.has(node) ? rebooting : writing,
    input: await prepareInput(context, changes),
    names: changes.map(toNode),
    rowOf(row): AppliedRow {
      const answer = answers.get(row.node);
      if (row.outcome !== "accepted") note(`${row.node}: ${row.reason}`);
      return {
        ...row,
        mode: input.mode,
        details: "",
        warnings: [],
        ...(answer && {
          mode: enumName(Mode, answer.mode).toLowerCase().replaceAll("_", "-"),
          details: answer.modeDetails,
          warnings: answer.warnings,
        }),
      };
    },
  };
}

async function prepareInput(
  { input, environment }: PrepareContext,
  changes: readonly NodeChange[],
): Promise<ApplyInput> {
  const hashes = new Map<NodeChange["wanted"], string>();
  const read = changes.flatMap(({ madeFrom }) => madeFrom ? [madeFrom] : []);
  for (const documents of [...changes.map(({ wanted }) => wanted), ...read]) {
    if (hashes.has(documents)) continue;
    hashes.set(documents, await configurationHash(documents));
  }
  const hashed = (documentsOf: (one: NodeChange) => NodeChange["madeFrom"]) =>
    Object.fromEntries(changes.flatMap((one) => {
      const documents = documentsOf(one);
      if (documents === undefined) return [];
      return [[one.node, hashes.get(documents) ?? ""] as const];
    }));
  return {
    mode: input.mode,
    tryMs: input.timeout,
    // Old scripts confirm themselves, or rely on the node rolling back.
    confirm: (input.wait || input.debug) && !input.noConfirm &&
      environment.env("OSCTL_COMPAT") !== "peer",
    checks: input.check,
    wanted: hashed(({ wanted }) => wanted),
    madeFrom: hashed(({ madeFrom }) => madeFrom),
    ...planMoves(changes, input.expectAddress),
  };
}

function planMoves(
  changes: readonly NodeChange[],
  expected: readonly string[],
): Pick<ApplyInput, "places" | "moving"> {
  if (expected.length > 0 && changes.length > 1) {
    throw new UsageError("Flag --expect-address works with one node only", {
      hint: "Run the command for one node at a time",
    });
  }
  const moves = changes.map(({ node, live, wanted }) => {
    const old = staticAddresses(live?.documents ?? []);
    const now = staticAddresses(wanted);
    const places = now.filter((address) => !old.includes(address));
    const leaves = old.includes(node) && !now.includes(node);
    return expected.length > 0
      ? { node, places: expected, leaves: true }
      : { node, places, leaves };
  });
  return {
    places: Object.fromEntries(moves.map(({ node, places }) => [node, places])),
    moving: moves.filter(({ leaves }) => leaves).map(toNode),
  };
}

/** Timeout for each request over a new connection, in milliseconds. */
const nodeTimeoutMs = 5_000;

async function dial(
  { nodes, reopen }: PrepareContext,
  node: string,
  place: string | undefined,
) {
  // The new configuration may rename the node.
  const name = place === undefined
    ? (await nodes.at(node)).address ?? node
    : parseEndpoint(place).host;
  const alsoAt = place === undefined ? [] : [place];
  const opened = reopen({ nodes: [name], alsoAt, nodeTimeoutMs });
  return { client: await opened.at(name), close: opened.close };
}

function needsReboot(
  { live, wanted, version }: NodeChange,
  mode: ApplyInput["mode"],
): boolean {
  if (mode !== "auto") return mode === "reboot";
  return rebootNeed(live?.documents ?? [], wanted, version).length > 0;
}

function collectTexts(
  changes: readonly NodeChange[],
): ReadonlyMap<string, string> {
  return new Map(changes.map(({ node, prepared }) => [node, prepared.text]));
}

function toNode({ node }: { readonly node: string }): string {
  return node;
}
