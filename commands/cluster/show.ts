import {
  chooseProvisioner,
  type ClusterLocation,
  clusterNames,
  clusterNotFound,
  type LocalCluster,
  type ProvisionerRequest,
} from "../../provisioners/mod.ts";
import {
  existingInputs,
  findCluster,
  locateCluster,
  provisionerInput,
} from "./_cluster.ts";
import { nodeTable } from "./_node_table.ts";
import {
  cell,
  type Command,
  layOut,
  textual,
  toggle,
  type Values,
} from "../_kit/mod.ts";

interface ClusterRow {
  readonly name: string;
  readonly provisioner: string;
  readonly running: boolean;
  /** Phase in which its creation was interrupted; absent if it is complete. */
  readonly unfinished?: string;
  readonly network: LocalCluster["clusterinfo"]["network"];
  readonly kubernetesEndpoint: string;
  /** Addresses of the powered-off machines. */
  readonly off: readonly string[];
  /** Machines sorted by name; CPUs in billionths, sizes in bytes. */
  readonly nodes: LocalCluster["clusterinfo"]["nodes"];
}

const inputs = {
  ...existingInputs,
  ...provisionerInput,
  all: toggle("show all clusters in the state directory"),
};

export const command = {
  summary: "Show a cluster on this machine",
  inputs,
  examples: ["cluster show", "cluster show --all -o jsonl"],
  view: textual(draw),
  async *run(context) {
    const { input, environment } = context;
    const { env } = environment;
    if (input.all) {
      const { state } = locateCluster({ ...input, name: "" }, environment);
      return yield* allRows(state, { env });
    }
    const place = await findCluster(context);
    const row = await readRow(place, { env, wanted: input.provisioner });
    if (row === undefined) throw clusterNotFound(place);
    yield row;
  },
} satisfies Command<ClusterRow, Values<typeof inputs>>;

/** Readable clusters first, then the first problem. */
async function* allRows(
  state: string,
  request: ProvisionerRequest,
): AsyncGenerator<ClusterRow> {
  const problems: unknown[] = [];
  for (const name of await clusterNames(state)) {
    try {
      // Without state it is not a cluster, or its creation has just begun.
      const row = await readRow({ state, name }, request);
      if (row !== undefined) yield row;
    } catch (error) {
      problems.push(error);
    }
  }
  if (problems.length > 0) throw problems[0];
}

async function readRow(
  place: ClusterLocation,
  request: ProvisionerRequest,
): Promise<ClusterRow | undefined> {
  const found = await (await chooseProvisioner(place, request)).show(place);
  if (found === undefined) return undefined;
  const { cluster, running, off } = found;
  const { clustername, network, kubernetesendpoint, nodes } =
    cluster.clusterinfo;
  return {
    name: clustername,
    provisioner: cluster.provisionername,
    running,
    unfinished: cluster.phase,
    network,
    kubernetesEndpoint: kubernetesendpoint,
    off,
    nodes: [...nodes].sort((a, b) => a.name < b.name ? -1 : 1),
  };
}

function draw(row: ClusterRow, first: boolean, columns?: number): string {
  const { network } = row;
  const facts = drawFacts([
    ["PROVISIONER", row.provisioner],
    ["NAME", row.name],
    ["STATE", formatState(row)],
    ["NETWORK NAME", network.name],
    ["NETWORK CIDR", network.cidrs.join(",")],
    ...network.gatewayaddrs.length === 0
      ? []
      : [["NETWORK GATEWAY", network.gatewayaddrs.join(",")] as const],
    ["NETWORK MTU", String(network.mtu)],
    ["KUBERNETES ENDPOINT", row.kubernetesEndpoint],
  ], columns);
  const nodes = nodeTable(row.nodes, {
    columns,
    renderState: ({ ips }) =>
      ips.some((ip) => row.off.includes(ip))
        ? "off"
        : row.running
        ? "on"
        : "stopped",
  });
  return `${first ? "" : "\n"}${facts}\nNODES:\n\n${nodes}`;
}

/** Formats names and values in two columns; long values go below their name. */
function drawFacts(
  facts: readonly (readonly [string, string])[],
  columns = Infinity,
): string {
  const rows = facts.map((cells) => cells.map(cell));
  const lines = layOut(rows, { gap: 3 }).text.split("\n");
  return lines.map((line, i) =>
    line.length <= columns ? line : rows[i]?.join("\n  ")
  ).join("\n");
}

function formatState({ running, unfinished }: ClusterRow): string {
  if (unfinished !== undefined) return `unfinished (${unfinished})`;
  return running ? "running" : "stopped";
}
