import { isOlder } from "../lib/version.ts";
import type { NodeClient } from "../transport/call/client.ts";
import type { Resource } from "../transport/gen/cosi_resource.ts";
import { machineConfigurationType } from "../transport/node/machine_configuration.ts";
import {
  type ResourceChange,
  watchResources,
  type WatchTarget,
} from "../transport/stream/watch_resources.ts";
import {
  type Column,
  type Command,
  type Context,
  type Format,
  optionalWord,
  outputFlag,
  tableBy,
  text,
  toggle,
  type Values,
  word,
} from "./_kit/mod.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";
import { following, type GapRow } from "./_streams/follow_nodes.ts";
import {
  hiddenSpec,
  resourceColumns,
  type ResourceRow,
  resourceRow,
  type RowOptions,
} from "./_resources/resource_row.ts";
import { resolveTypeAt } from "./_resources/resource_type.ts";
import { domain } from "../talos.ts";
import { selectNodes } from "../transport/node/select_nodes.ts";
import type { ResourceType } from "../transport/node/resource_types.ts";
import { nearest } from "../lib/text/nearest.ts";
import { OsctlError, RpcError } from "../errors.ts";
import type { Nodes } from "../transport/node/nodes.ts";
import { single } from "../transport/call/reply.ts";

const inputs = {
  type: word("resource type or alias", {
    complete: "resources",
    whenMissing:
      "Try members, services or machineconfig; list all types with: osctl get rd",
  }),
  id: optionalWord("resource id; default all resources of the type", {
    complete: "ids",
  }),
  namespace: text("namespace", { shown: "the default of the type" }),
  watch: toggle("watch for changes", { short: "w", step: false }),
  showSecrets: toggle("show secrets on a terminal", { step: false }),
  allNodes: toggle(
    "read cluster-wide resources, such as members, from every node",
    { step: false },
  ),
  ...maintenanceInputs,
  output: outputFlag,
};

type GetInputs = Values<typeof inputs>;

export const command = {
  summary: "Get resources",
  description:
    `Resources hold the desired and actual state of a node. "osctl get rd" lists the resource types.

Cluster-wide resources, such as members, are read from one node unless --all-nodes is given. With -o wide, tables of
members, links, addresses, disks and volumes have further columns.

On a terminal, secrets in resources such as machine configurations are hidden unless --show-secrets is given; files
and pipes get the resources unchanged.

With --watch, existing resources are printed first, then every change: + created, - destroyed; a terminal shows the current list instead. osctl reconnects to a
node that reboots or is unreachable, and reports the gap on standard error; with -o json, jsonl or yaml it is also a
row: node, gap ("node rebooted" or "connection lost"), since, until.`,
  aliases: ["g"],
  empty: false,
  inputs,
  examples: [
    "get rd",
    "get members --nodes 10.0.0.2",
    "get links eth0 --output yaml",
    "get addresses --output jsonpath='{.spec.address}'",
    "get services --watch",
  ],
  // On a terminal it redacts secrets itself; other output is verbatim.
  discloses: true,
  view: tableBy((first) => isGap(first) ? [] : columnsBeside(first)),
  async *run(context) {
    const { input, globals, nodes, note, environment } = context;
    const checked = warnOfOldNodes(nodes, note);
    const { type, node } = await resolveTypeAt(nodes, input.type);
    const target: WatchTarget = {
      namespace: input.namespace || type.defaultNamespace,
      type: type.type,
      id: input.id,
    };
    const options: RowOptions = { type, format: rowFormats[input.output.kind] };
    const asked = await askedNodes(context, type, node);
    const rows = input.watch
      ? watchRows({ input, note, environment, nodes: asked }, target, options)
      : readRows({ note, globals, nodes: asked }, target, options);
    const isSecret = type.sensitive || type.type === machineConfigurationType;
    const isHidden = isSecret && environment.stdout.terminal &&
      !input.showSecrets &&
      input.output.kind !== "table" && input.output.kind !== "name";
    yield* isHidden ? noteHidden(rows, note) : rows;
    await checked;
  },
} satisfies Command<ResourceRow | GapRow, GetInputs>;

const clusterTypes: ReadonlySet<string> = new Set([
  `Members.cluster.${domain}`,
  `Affiliates.cluster.${domain}`,
  `Infos.cluster.${domain}`,
]);

/** One node for cluster-wide resources, all nodes for the others. */
async function askedNodes(
  { input, nodes, note }: Context<GetInputs>,
  { type }: ResourceType,
  node: string,
): Promise<Nodes> {
  if (input.allNodes || !clusterTypes.has(type)) return nodes;
  const { length } = await nodes.names();
  if (length === 1) return nodes;
  note(
    `Read from ${node}; --all-nodes reads from all ${length} nodes`,
  );
  return selectNodes(nodes, [node]);
}

const rowFormats: Readonly<Record<Format["kind"], RowOptions["format"]>> = {
  table: "table",
  name: "table",
  "custom-columns": "table",
  yaml: "yaml",
  json: "json",
  jsonl: "json",
  jsonpath: "json",
};

function isGap(row: ResourceRow | GapRow): row is GapRow {
  return "gap" in row;
}

function columnsBeside(first: ResourceRow): Column<ResourceRow | GapRow>[] {
  return resourceColumns(first).map((column) => ({
    ...column,
    cell: (row) => isGap(row) ? "" : column.cell(row),
    tone: (row) => isGap(row) ? undefined : column.tone?.(row),
  }));
}

async function* readRows(
  { nodes, globals, note }: Pick<
    Context<GetInputs>,
    "nodes" | "globals" | "note"
  >,
  target: WatchTarget,
  options: RowOptions,
): AsyncGenerator<ResourceRow> {
  const rows = nodes.stream(async function* (client) {
    for await (const resource of readResources(client, target, options)) {
      // Converted here, so that an unreadable spec is a failure of its node.
      yield resourceRow(client.node, resource, options);
    }
  }, { deadlineMs: globals.nodeTimeout });
  let isEmpty = true;
  for await (const { value } of rows) {
    isEmpty = false;
    yield value;
  }
  if (isEmpty) note(`No resources of type ${options.type.type}`);
}

async function* readResources(
  client: NodeClient,
  { id, ...kind }: WatchTarget,
  { type }: RowOptions,
): AsyncGenerator<Resource> {
  const { state } = client;
  const answers = id === undefined ? state.list({ ...kind, options: {} }) : [
    await state.get({ ...kind, id, options: {} }).catch((error) =>
      suggestType(client, { ...kind, id }, { error, type })
    ),
  ];
  for await (const { resource } of answers) {
    if (resource !== undefined) yield resource;
  }
}

/** Suggests a resource for an unknown id. Throws the original error, improved if possible. */
async function suggestType(
  { state }: NodeClient,
  { id, ...kind }: Required<WatchTarget>,
  { error, type: { displayType } }: {
    readonly error: unknown;
    readonly type: ResourceType;
  },
): Promise<never> {
  if (!(error instanceof RpcError) || error.code !== "NOT_FOUND") throw error;
  const ids: string[] = [];
  try {
    for await (const { resource } of state.list({ ...kind, options: {} })) {
      ids.push(resource?.metadata?.id ?? "");
    }
  } catch (failure) {
    // The original error is the one to report.
    if (!(failure instanceof OsctlError)) throw failure;
  }
  const near = nearest(id, ids);
  throw new RpcError(error.code, `${displayType} "${id}" doesn't exist`, {
    cause: error,
    raw: error.message,
    ...near !== undefined && { hint: `Did you mean "${near}"?` },
  });
}

async function* noteHidden(
  rows: AsyncIterable<ResourceRow | GapRow>,
  note: (text: string) => void,
): AsyncGenerator<ResourceRow | GapRow> {
  let isReported = false;
  for await (const row of rows) {
    if (isGap(row)) {
      yield row;
      continue;
    }
    if (!isReported) note("Secrets are hidden; show them with --show-secrets");
    isReported = true;
    yield { ...row, spec: await hiddenSpec(row) };
  }
}

function watchRows(
  context: Pick<
    Context<GetInputs>,
    "input" | "nodes" | "note" | "environment"
  >,
  target: WatchTarget,
  options: RowOptions,
): AsyncGenerator<ResourceRow | GapRow> {
  return following(context, {
    follow: (client, how) => watchResources(client, target, how),
    row: (node, { event, resource }: ResourceChange) =>
      resourceRow(node, resource, { ...options, event }),
    output: context.input.output,
  });
}

const oldest = "v1.8.0";

/**
 * Checks the version of every selected node and warns if it is too old.
 *
 * Ignores nodes that do not answer: the command itself reports them.
 */
async function warnOfOldNodes(
  nodes: Nodes,
  note: (text: string) => void,
): Promise<void> {
  try {
    const answers = nodes.call(async ({ machine }) =>
      single((await machine.version({})).messages).version?.tag ?? ""
    );
    for await (const { node, value: tag } of answers) {
      if (isOlder(tag, oldest)) {
        note(
          `warning: ${node}: server version ${tag} is older than ${oldest}, so some of its answers may not be understood`,
        );
      }
    }
  } catch (error) {
    // The calls of the command itself report failed nodes.
    if (!(error instanceof OsctlError)) throw error;
  }
}
