/** Applies configurations to nodes, or shows the changes: as a command, or as a step of a runbook. */

import { findFields, mainKind } from "../../config/documents/load.ts";
import { redact } from "../../config/documents/redact.ts";
import {
  NodesError,
  OsctlError,
  RefusedError,
  UsageError,
} from "../../errors.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import type {
  Change,
  ChangeEnvironment,
  PreparedChange,
} from "../../workflows/operations/change.ts";
import {
  applyConfigOperation,
  type ApplyMode,
} from "../../workflows/operations/node/apply_config.ts";
import { changeConfigurations } from "../../workflows/operations/node/change_configuration.ts";
import type { Context } from "../_kit/mod.ts";
import { operatePrepared } from "../_kit/operate.ts";
import { trustServers } from "../_session/server_trust.ts";
import { type ChangeRow, plannedRow, unsupportedMode } from "./apply_plan.ts";
import {
  type AnyApplyInputs,
  checkChanges,
  type ConfigureContext,
  type Gathered,
  type NodeChange,
} from "./configuration.ts";

/** New configurations of the selected nodes. */
export interface ConfigurationChange extends Omit<Gathered, "facts"> {
  readonly changes: readonly NodeChange[];
  /** Rows of what needs no operation; they come first. */
  readonly rows?: Iterable<ChangeRow> | AsyncIterable<ChangeRow>;
  /** Asks before anything is sent; default no question. */
  readonly confirm?: () => Promise<void>;
  /** Noted for each changed node: `patched`. */
  readonly done?: string;
}

interface Configuring<Inputs> {
  readonly change: Change<Inputs>;
  readonly run: (context: Context<Inputs>) => AsyncGenerator<ChangeRow>;
}

/**
 * Makes the change and the run of a command.
 *
 * @param make Makes the new configurations from the inputs, sends nothing.
 */
export function configuring<Inputs extends AnyApplyInputs>(
  make: (context: ConfigureContext<Inputs>) => Promise<ConfigurationChange>,
): Configuring<Inputs> {
  return {
    change: {
      // Whether nodes reboot depends on the configurations.
      operation: applyConfigOperation,
      async prepare(input, environment) {
        const context = { ...environment, input };
        const change = await make(context);
        const prepared = await prepareChange(context, change);
        const { failures, total, rows = [] } = change;
        if (failures.size > 0) throw new NodesError(failures, total);
        return { ...prepared, rows: await Array.fromAsync(rows) };
      },
    },
    async *run(context) {
      yield* applyChange(context, await make(context));
    },
  };
}

/**
 * Applies configurations to nodes, or shows the changes. Throws `ConfigError` for errors in a configuration and
 * `RefusedError` for a configuration that does not belong on its node, both before anything is sent. Throws
 * `NodesError` naming failed nodes.
 */
export async function* applyChange(
  context: Context<AnyApplyInputs>,
  change: ConfigurationChange,
): AsyncGenerator<ChangeRow> {
  const { changes, failures, total, rows = [] } = change;
  yield* rows;
  const failed = new Map(failures);
  try {
    if (context.input.dryRun) {
      await checkChanges(changes, context);
      yield* plannedRows(context, changes);
    } else {
      const prepared = await prepareChange(context, change);
      yield* send(context, prepared, changes);
    }
  } catch (error) {
    if (!(error instanceof NodesError)) throw error;
    for (const [node, cause] of error.failures) failed.set(node, cause);
  }
  if (failed.size > 0) throw new NodesError(failed, total);
}

async function prepareChange(
  { input, ...context }: ConfigureContext,
  { changes, confirm, done }: ConfigurationChange,
): Promise<PreparedChange> {
  const { environment, note } = context;
  await checkChanges(changes, { input, ...context });
  await confirm?.();
  refuseMode(changes, input.mode);
  if (changes.length === 0) return { input: null, names: [] };
  if (input.expectAddress.length > 0 && changes.length > 1) {
    throw new UsageError("Flag --expect-address works with one node only", {
      hint: "Run the command for one node at a time",
    });
  }
  const { toRow, ...prepared } = await changeConfigurations(changes, {
    mode: input.mode,
    tryMs: input.timeout,
    // Old scripts confirm themselves, or rely on the node rolling back.
    confirm: (input.wait || input.debug) && !input.noConfirm &&
      environment.env("OSCTL_COMPAT") !== "peer",
    checks: input.check,
    addresses: input.expectAddress,
    dial: (node, place) => dial(context, node, place),
    maintenance: input.insecure ?? false,
  });
  return {
    ...prepared,
    names: changes.map(({ node }) => node),
    toRow(row) {
      if (row.outcome !== "accepted") note(`${row.node}: ${row.reason}`);
      if (done !== undefined) note(`${row.node}: ${done}`);
      return toRow(row);
    },
  };
}

async function* send(
  context: Context<AnyApplyInputs>,
  prepared: PreparedChange,
  changes: readonly NodeChange[],
): AsyncGenerator<ChangeRow> {
  const { nodes, input } = context;
  const { insecure, certFingerprint = [], trustAny = false } = input;
  // Nodes without a configuration cannot prove their identity.
  using trusted = insecure && changes.length > 0
    ? await trustServers(
      {
        ...context,
        input: {
          certFingerprint,
          trustAny: trustAny || !changes.some(holdsSecrets),
        },
      },
      changes.map(({ node }) => node),
      "the configuration",
    )
    : undefined;
  yield* operatePrepared<ChangeRow>({
    ...context,
    nodes: trusted?.nodes ?? nodes,
    // The wait timeout is `--wait-timeout` here.
    input: { ...input, timeout: input.waitTimeout },
  }, prepared);
}

/** A document not known to be harmless counts as secret. */
function holdsSecrets({ wanted }: NodeChange): boolean {
  return wanted.some(({ kind, root, schema }) => {
    if (kind === mainKind || schema === undefined) return true;
    let found = false;
    redact(root, findFields(schema), (_, text) => {
      found = true;
      return text;
    });
    return found;
  });
}

/** Timeout for each request over a new connection, in milliseconds. */
const nodeTimeoutMs = 5_000;

async function dial(
  { nodes, reopen }: ChangeEnvironment,
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

/** Refuses a mode the node's version does not support. Nodes without a configuration accept any. */
function refuseMode(changes: readonly NodeChange[], mode: ApplyMode): void {
  for (const { node, live, version } of changes) {
    const reason = live && unsupportedMode(mode, version);
    if (reason === undefined) continue;
    throw new RefusedError(`Nothing was sent to "${node}": ${reason}`);
  }
}

/** Computed without the nodes: in try mode, some versions take a dry run as the confirmation. */
async function* plannedRows(
  { input, signal }: ConfigureContext,
  changes: readonly NodeChange[],
): AsyncGenerator<ChangeRow> {
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
