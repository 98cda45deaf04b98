import { RpcError } from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { ContainerDriver } from "../transport/gen/common.ts";
import { payload } from "../transport/call/payload.ts";
import type { GapRow } from "./_streams/follow_nodes.ts";
import {
  followedLog,
  type LogReading,
  type LogRow,
  logRows,
  logView,
} from "./_streams/log_rows.ts";
import {
  type AnyCommand,
  type Command,
  integer,
  outputFlag,
  toggle,
  type Values,
  word,
} from "./_kit/mod.ts";

const inputs = {
  service: word("name of a service, container or log", { complete: "logs" }),
  follow: toggle("stream new lines", { short: "f", step: false }),
  kubernetes: toggle("the argument is a Kubernetes container", {
    short: "k",
  }),
  tail: integer("number of lines to print from the end; -1 for all", {
    initial: -1,
  }),
  output: outputFlag,
};

type LogsInputs = Values<typeof inputs>;

/** `osctl logs <service>`: the log of a service or container. Source: `MachineService.Logs`. */
export const command: AnyCommand = {
  summary: "Print the logs of a service or container",
  description: followedLog,
  inputs,
  examples: [
    "logs kubelet --nodes 10.0.0.2,10.0.0.3 --tail 20",
    "logs etcd --follow",
    "logs -k kube-system/kube-proxy-x7x2j:kube-proxy:0d3f1a2b4c5d",
  ],
  view: logView,
  run(context) {
    const { input } = context;
    return logRows(context, {
      follow: input.follow,
      last: input.tail < 0 ? undefined : input.tail,
      output: input.output,
      read: (client, reading) => logOf(client, input, reading),
    });
  },
} satisfies Command<LogRow | GapRow, LogsInputs>;

async function* logOf(
  { machine }: NodeClient,
  { service: id, kubernetes }: LogsInputs,
  { follow, last = -1, signal }: LogReading,
): AsyncGenerator<Uint8Array> {
  const from = kubernetes
    ? { namespace: "k8s.io", driver: ContainerDriver.CRI }
    : { namespace: "system", driver: ContainerDriver.CONTAINERD };
  const request = { ...from, id, follow, tailLines: last };
  try {
    const messages = machine.logs(request, signal ? { signal } : {});
    yield* payload(messages, { lent: true }); // lines are cut at once
  } catch (error) {
    throw hinted(error, kubernetes);
  }
}

/** What a node answers when it has no such log. */
const unknown = ["UNKNOWN", "NOT_FOUND"];

function hinted(error: unknown, kubernetes: boolean): unknown {
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
