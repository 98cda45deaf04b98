import { OsctlError, RpcError } from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { payload } from "../transport/call/payload.ts";
import type { ContainerInfo } from "../transport/gen/machine_container.ts";
import {
  containerRuntime,
  readContainers,
} from "../transport/node/containers.ts";
import {
  type Command,
  integer,
  outputFlag,
  rest,
  toggle,
  type Values,
} from "./_kit/mod.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";
import type { GapRow } from "./_streams/follow_nodes.ts";
import {
  followedLog,
  type LogReading,
  type LogRow,
  logRows,
  makeLogView,
} from "./_streams/log_rows.ts";
import { selectionHelp, selectionInputs } from "./_streams/log_selection.ts";

const inputs = {
  service: rest("names of services, containers or logs", {
    complete: "logs",
    least: 1,
  }),
  follow: toggle("stream new lines", { short: "f", step: false }),
  kubernetes: toggle("the arguments are Kubernetes pods or containers", {
    short: "k",
  }),
  tail: integer("number of lines to print from the end; -1 for all", {
    initial: -1,
  }),
  ...selectionInputs,
  ...maintenanceInputs,
  useCri: toggle("no effect", { hidden: true }),
  output: outputFlag,
};

type LogsInputs = Values<typeof inputs>;

/** `osctl logs <service>...`: prints logs of services or containers. Source: `MachineService.Logs`. */
export const command = {
  summary: "Print the logs of services or containers",
  description:
    `With --kubernetes, name a container in any way that is unique on the node: its full name, namespace/pod:container,
namespace/pod, the pod name or the container name. The beginning of a pod name is enough.

${selectionHelp}

${followedLog}`,
  inputs,
  examples: [
    "logs kubelet --nodes 10.0.0.2,10.0.0.3 --tail 20",
    "logs etcd --follow",
    "logs -k kube-proxy --nodes @workers --since 10m",
    "logs etcd kubelet --merge --since 1h --grep 'error|timeout' --nodes @controlplane",
  ],
  view: makeLogView,
  run(context) {
    const { input } = context;
    return logRows(context, {
      follow: input.follow,
      last: input.tail < 0 ? undefined : input.tail,
      output: input.output,
      logs: input.service,
      selection: input,
      read: (client, reading, log) =>
        readLog(client, input, { ...reading, log }),
    });
  },
} satisfies Command<LogRow | GapRow, LogsInputs>;

async function* readLog(
  client: NodeClient,
  { kubernetes }: LogsInputs,
  { follow, last = -1, signal, log }: LogReading & { readonly log: string },
): AsyncGenerator<Uint8Array> {
  const id = kubernetes ? await containerNamed(client, log) : log;
  const runtime = containerRuntime(kubernetes);
  const request = { ...runtime, id, follow, tailLines: last };
  try {
    const messages = client.machine.logs(request, signal ? { signal } : {});
    yield* payload(messages, { lent: true }); // lines are split immediately
  } catch (error) {
    throw withHint(error, kubernetes);
  }
}

const unknown = ["UNKNOWN", "NOT_FOUND"];

function withHint(error: unknown, kubernetes: boolean): unknown {
  if (!(error instanceof RpcError) || !unknown.includes(error.code)) {
    return error;
  }
  return new RpcError(error.code, error.message, {
    cause: error,
    hint: kubernetes
      ? 'List the names with "osctl containers --kubernetes"'
      : 'List the names with "osctl service" and "osctl containers"',
  });
}

/** Full names, which need no lookup: `namespace/pod:container:0123456789ab`. */
const whole = /^[^/]+\/[^:]+:[^:]+:[\da-f]{4,}$/;

/** Accepted names of a container, from the longest to the shortest. */
const tiers: readonly ((container: ContainerInfo) => readonly string[])[] = [
  ({ id }) => [id],
  ({ podId, name }) => [`${podId}:${name}`],
  ({ podId, name }) => [podId, `${parsePod(podId)}:${name}`],
  ({ podId, name }) => [parsePod(podId), name],
];

function parsePod(podId: string): string {
  return podId.slice(podId.indexOf("/") + 1);
}

/** `kube-system/coredns`, `coredns:coredns`: a pod name prefix, optionally with a container. */
function startsAs(text: string): (container: ContainerInfo) => boolean {
  const [pod = "", container] = text.split(":");
  return ({ podId, name }) =>
    (container === undefined || container === name) &&
    [podId, parsePod(podId)].some((one) => one.startsWith(pod));
}

/**
 * Finds a container of a node by name.
 *
 * @param name The full name, `namespace/pod:container`, `namespace/pod`, `pod:container`, a pod, a container, or one of
 * these with a pod name prefix.
 * @returns Its full name; for several instances of the same container, the running one.
 * @throws {OsctlError} If there is none, or the name is ambiguous.
 */
export async function containerNamed(
  client: NodeClient,
  name: string,
): Promise<string> {
  if (whole.test(name)) return name;
  const containers = (await readContainers(client, true))
    .filter(({ id, podId }) => id !== podId);
  const matches = [
    ...tiers.map((namesOf) => (one: ContainerInfo) =>
      namesOf(one).includes(name)
    ),
    startsAs(name),
  ];
  for (const isMeant of matches) {
    const found = containers.filter(isMeant);
    const kinds = new Set(found.map(({ podId, name }) => `${podId}:${name}`));
    if (kinds.size > 1) {
      const all = [...kinds].sort().join(", ");
      throw new OsctlError(`"${name}" is ambiguous: ${all}`, {
        hint: "Use one of these names",
      });
    }
    const running = found.find(({ status }) => status === "CONTAINER_RUNNING");
    const [first] = running ? [running] : found;
    if (first !== undefined) return first.id;
  }
  throw new OsctlError(`There is no container or pod "${name}"`, {
    hint: 'List the names with "osctl containers --kubernetes"',
  });
}
