import type { NodeClient } from "../transport/client.ts";
import { readBootId } from "../transport/boot_id.ts";
import type { Resource } from "../transport/gen/cosi_resource.ts";
import {
  watchResources,
  type WatchTarget,
} from "../transport/watch_resources.ts";
import {
  type Command,
  type Context,
  type Format,
  optionalWord,
  outputFlag,
  tableBy,
  text,
  toggle,
  word,
} from "./_kit/mod.ts";
import { gapLine } from "./_kit/gap.ts";
import { warnOfOldNodes } from "./_kit/node_age.ts";
import {
  resourceColumns,
  type ResourceRow,
  resourceRow,
  type RowOptions,
} from "./_kit/resource_row.ts";
import { resolveType } from "./_kit/resource_type.ts";

interface GetInputs {
  readonly type: string;
  readonly id: string | undefined;
  readonly namespace: string | undefined;
  readonly watch: boolean;
  readonly insecure: boolean;
  readonly output: Format;
}

/** `osctl get <type> [<id>]`: resources of the nodes, and how they change. */
export const command: Command<ResourceRow, GetInputs> = {
  summary: "Show resources of the nodes",
  description:
    `Resources are what the nodes' controllers work with: what is wanted and what is.
The list of types is a resource too: "osctl get rd".

With --watch, what is there comes first, and then every change: + created, - destroyed.
A node that reboots or cannot be reached is waited for, and the gap is told on standard error.`,
  aliases: ["g"],
  inputs: {
    type: word("type of resource, or one of its aliases", {
      complete: "resources",
    }),
    id: optionalWord("one resource; left out, all of the type"),
    namespace: text("namespace", { shown: "that of the type" }),
    watch: toggle("keep printing changes", { short: "w" }),
    insecure: toggle("use the maintenance service, without authentication", {
      short: "i",
    }),
    output: outputFlag,
  },
  examples: [
    "get rd",
    "get members --nodes 10.0.0.2",
    "get links eth0 --output yaml",
    "get addresses --output jsonpath='{.spec.address}'",
    "get services --watch",
  ],
  view: tableBy(resourceColumns),
  async *run(context) {
    const { input, nodes, note } = context;
    const checked = warnOfOldNodes(nodes, note);
    const type = await resolveType(nodes, input.type);
    const target: WatchTarget = {
      namespace: input.namespace || type.defaultNamespace,
      type: type.type,
      ...(input.id === undefined ? {} : { id: input.id }),
    };
    const options: RowOptions = { type, order: orders[input.output.kind] };
    yield* input.watch
      ? watched(context, target, options)
      : read(context, target, options);
    await checked;
  },
};

/** JSON has the keys sorted, as the peer writes it; tables show no keys. */
const orders: Readonly<Record<Format["kind"], RowOptions["order"]>> = {
  table: "natural",
  yaml: "natural",
  json: "sorted",
  jsonl: "sorted",
  jsonpath: "sorted",
};

async function* read(
  { nodes, globals }: Context<GetInputs>,
  target: WatchTarget,
  options: RowOptions,
): AsyncGenerator<ResourceRow> {
  const rows = nodes.stream(async function* (client) {
    for await (const resource of resourcesOf(client, target)) {
      // Made here, so that a spec nobody can read is a failure of its node.
      yield resourceRow(client.node, resource, options);
    }
  }, { deadlineMs: globals.nodeTimeout });
  for await (const { value } of rows) yield value;
}

async function* resourcesOf(
  { state }: NodeClient,
  { id, ...kind }: WatchTarget,
): AsyncGenerator<Resource> {
  const answers = id === undefined
    ? state.list({ ...kind, options: {} })
    : [await state.get({ ...kind, id, options: {} })];
  for await (const { resource } of answers) {
    if (resource !== undefined) yield resource;
  }
}

async function* watched(
  { nodes, note, world }: Context<GetInputs>,
  target: WatchTarget,
  options: RowOptions,
): AsyncGenerator<ResourceRow> {
  const alone = (await nodes.names()).length === 1;
  const rows = nodes.stream(async function* (client) {
    const { node, signal } = client;
    const tell = (text: string) => note(`--- ${node}: ${text} ---`);
    const changes = watchResources(client, target, {
      signal,
      bootId: readBootId(client),
      lost: () => tell("connection lost, waiting for it"),
      now: world.now,
    });
    try {
      for await (const change of changes) {
        if (change.kind === "gap") note(gapLine(node, change));
        else {
          const { event, resource } = change;
          yield resourceRow(node, resource, { ...options, event });
        }
      }
    } catch (error) {
      // The others may go on for hours before anything else tells.
      if (!alone) tell(`no longer watched: ${messageOf(error)}`);
      throw error;
    }
  });
  for await (const { value } of rows) yield value;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
