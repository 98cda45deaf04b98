/**
 * Records a node's answers to all read calls in a file: `deno task record --osconfig FILE --node NODE [OUT]`.
 *
 * Read-only. Bytes of files, logs and keys are recorded as their count, and secrets are masked. Names and addresses
 * are kept.
 */

import { parseArgs } from "node:util";
import { lazyNodes } from "../../commands/_kit/main.ts";
import { openSession } from "../../commands/_kit/session.ts";
import type { Nodes } from "../../transport/node/nodes.ts";
import { readFields } from "../../transport/node/read_resource.ts";
import { parseSpec } from "../../transport/node/resource_yaml.ts";
import { RpcError, UsageError } from "../../errors.ts";
import { realEnvironment } from "../../terminal/environment.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { containerRuntime } from "../../transport/node/containers.ts";
import { runTool } from "../run_tool.ts";

interface RecordedResource {
  readonly id: string;
  /** Owning controller; empty for none. */
  readonly owner: string;
  readonly spec: unknown;
}

interface RecordedError {
  readonly error: string;
}

/** Recorded answers of a node. */
export interface Recording {
  /**
   * Messages of each call by service and method, at most {@linkcode most} of them. Default values are omitted, as on
   * the wire.
   */
  readonly calls: Readonly<Record<string, readonly unknown[] | RecordedError>>;
  /** Resources by their full type, at most {@linkcode most} of each. */
  readonly resources: Readonly<
    Record<string, readonly RecordedResource[] | RecordedError>
  >;
}

/** Maximum recorded messages or resources of each kind. */
const most = 50;

/** Timeout for each call, in milliseconds. */
const deadlineMs = 20_000;

const system = containerRuntime(false);
const pods = containerRuntime(true);

/** Calls not recorded, by service and method, with the reason; a service name alone skips all of it. */
export const unrecorded: Readonly<Record<string, string>> = {
  State: "resources are recorded by their types",
  LifecycleService: "changes the node",
  LVMService: "changes the node",
  MDService: "changes the node",
  SecurityService: "makes a certificate",
  DebugService: "runs a container",
  "MachineService/ApplyConfiguration": "changes the node",
  "MachineService/Bootstrap": "changes the node",
  "MachineService/EtcdAlarmDisarm": "changes etcd",
  "MachineService/EtcdDefragment": "changes etcd",
  "MachineService/EtcdDowngradeCancel": "changes etcd",
  "MachineService/EtcdDowngradeEnable": "changes etcd",
  "MachineService/EtcdDowngradeValidate": "depends on the version of etcd",
  "MachineService/EtcdForfeitLeadership": "changes etcd",
  "MachineService/EtcdLeaveCluster": "changes etcd",
  "MachineService/EtcdRecover": "changes etcd",
  "MachineService/EtcdRemoveMemberByID": "changes etcd",
  "MachineService/EtcdSnapshot": "may be as long as 8 GB",
  "MachineService/GenerateClientConfiguration": "makes a certificate",
  "MachineService/GenerateConfiguration": "makes secrets",
  "MachineService/ImagePull": "changes the node",
  "MachineService/MetaDelete": "changes the node",
  "MachineService/MetaWrite": "changes the node",
  "MachineService/PacketCapture": "has what others send in it",
  "MachineService/Reboot": "changes the node",
  "MachineService/Reset": "changes the node",
  "MachineService/Restart": "changes the node",
  "MachineService/Rollback": "changes the node",
  "MachineService/ServiceRestart": "changes the node",
  "MachineService/ServiceStart": "changes the node",
  "MachineService/ServiceStop": "changes the node",
  "MachineService/Shutdown": "changes the node",
  "MachineService/Upgrade": "changes the node",
  "ImageService/Import": "changes the node",
  "ImageService/Pull": "changes the node",
  "ImageService/Remove": "changes the node",
  "ImageService/Verify": "asks a registry",
  "StorageService/BlockDeviceWipe": "changes the node",
  "TimeService/TimeCheck": "asks another server",
};

/** Read calls by service and method, with a suffix for variants. */
export const reads: Readonly<
  Record<
    string,
    (client: NodeClient) => AsyncIterable<unknown> | Promise<unknown>
  >
> = {
  "MachineService/Version": ({ machine }) => machine.version({}),
  "MachineService/Hostname": ({ machine }) => machine.hostname({}),
  "MachineService/ServiceList": ({ machine }) => machine.serviceList({}),
  "MachineService/Containers system": ({ machine }) =>
    machine.containers(system),
  "MachineService/Containers k8s.io": ({ machine }) => machine.containers(pods),
  "MachineService/Stats system": ({ machine }) => machine.stats(system),
  "MachineService/Stats k8s.io": ({ machine }) => machine.stats(pods),
  "MachineService/CPUInfo": ({ machine }) => machine.cPUInfo({}),
  "MachineService/CPUFreqStats": ({ machine }) => machine.cPUFreqStats({}),
  "MachineService/DiskStats": ({ machine }) => machine.diskStats({}),
  "MachineService/LoadAvg": ({ machine }) => machine.loadAvg({}),
  "MachineService/Memory": ({ machine }) => machine.memory({}),
  "MachineService/Mounts": ({ machine }) => machine.mounts({}),
  "MachineService/NetworkDeviceStats": ({ machine }) =>
    machine.networkDeviceStats({}),
  "MachineService/Netstat": ({ machine }) =>
    machine.netstat({
      feature: { pid: true },
      l4proto: { tcp: true, tcp6: true, udp: true, udp6: true },
      netns: { hostnetwork: true },
    }),
  "MachineService/Processes": ({ machine }) => machine.processes({}),
  "MachineService/SystemStat": ({ machine }) => machine.systemStat({}),
  "MachineService/LogsContainers": ({ machine }) => machine.logsContainers({}),
  "MachineService/Logs": ({ machine }) =>
    machine.logs({ ...system, id: "machined", tailLines: 3 }),
  "MachineService/Dmesg": ({ machine }) => machine.dmesg({ tail: false }),
  "MachineService/Events": ({ machine }) => machine.events({ tailEvents: -1 }),
  "MachineService/List": ({ machine }) => machine.list({ root: "/" }),
  "MachineService/DiskUsage": ({ machine }) =>
    machine.diskUsage({ paths: ["/etc"], recursionDepth: 1 }),
  "MachineService/Read": ({ machine }) =>
    machine.read({ path: "/proc/version" }),
  "MachineService/ImageList": ({ machine }) =>
    machine.imageList({ namespace: 1 }),
  "MachineService/EtcdMemberList": ({ machine }) => machine.etcdMemberList({}),
  "MachineService/EtcdStatus": ({ machine }) => machine.etcdStatus({}),
  "MachineService/EtcdAlarmList": ({ machine }) => machine.etcdAlarmList({}),
  "MachineService/Copy": ({ machine }) =>
    machine.copy({ rootPath: "/etc/os-release" }),
  "MachineService/Kubeconfig": ({ machine }) => machine.kubeconfig({}),
  "ImageService/List": ({ image }) => image.list({}),
  "ClusterService/HealthCheck": ({ cluster }) =>
    cluster.healthCheck({ waitTimeout: { seconds: 10n, nanos: 0 } }),
  "StorageService/Disks": ({ storage }) => storage.disks({}),
  "TimeService/Time": ({ time }) => time.time({}),
  "InspectService/ControllerRuntimeDependencies": ({ inspect }) =>
    inspect.controllerRuntimeDependencies({}),
};

/**
 * Records everything readable on a node.
 *
 * @throws {Error} If the node is unreachable.
 */
export async function recordNode(client: NodeClient): Promise<Recording> {
  const calls: Record<string, readonly unknown[] | RecordedError> = {};
  for (const [name, ask] of Object.entries(reads)) {
    calls[name] = await outcome(async () =>
      (await first(ask(client))).flatMap(toMessages).slice(0, most)
        .map((message) => mask(withoutDefaults(message)))
    );
  }
  const resources: Record<string, readonly RecordedResource[] | RecordedError> =
    {};
  const kind = { namespace: "meta", type: "ResourceDefinitions.meta.cosi.dev" };
  for (const { spec: definition } of await listAll(client, kind, false)) {
    const { type, defaultNamespace, sensitivity } = readFields(definition);
    const found = { namespace: String(defaultNamespace), type: String(type) };
    resources[found.type] = await outcome(() =>
      listAll(client, found, sensitivity !== undefined)
    );
  }
  return { calls, resources };
}

/** Messages of all nodes in an answer; a stream item is one message. */
function toMessages(answer: unknown): readonly unknown[] {
  const { messages } = answer as { readonly messages?: readonly unknown[] };
  return messages ?? [answer];
}

/** A message without default values, which are not on the wire. */
export function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (!(value instanceof Object) || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => !isDefault(one))
      .map(([key, one]) => [key, withoutDefaults(one)]),
  );
}

function isDefault(value: unknown): boolean {
  return value === undefined || value === "" || value === 0 || value === 0n ||
    value === false ||
    (Array.isArray(value) || value instanceof Uint8Array) && value.length === 0;
}

async function listAll(
  { state }: NodeClient,
  kind: { readonly namespace: string; readonly type: string },
  secret: boolean,
): Promise<readonly RecordedResource[]> {
  const all = kind.namespace === "meta" ? Infinity : most;
  const answers = await first(state.list(kind, { deadlineMs }), all);
  return answers.map(({ resource }) => ({
    id: resource?.metadata?.id ?? "",
    owner: resource?.metadata?.owner ?? "",
    spec: mask(parseSpec(resource?.spec?.yamlSpec ?? ""), secret),
  }));
}

/** First messages of a possibly endless stream, or a single message. */
async function first<T>(
  answer: AsyncIterable<T> | Promise<T>,
  count = most,
): Promise<T[]> {
  if (answer instanceof Promise) return [await answer];
  const found: T[] = [];
  const stream = answer[Symbol.asyncIterator]();
  while (found.length < count) {
    const silence = Promise.withResolvers<void>();
    const timer = setTimeout(() => silence.resolve(), quietMs);
    const next = await Promise.race([stream.next(), silence.promise])
      .finally(() => clearTimeout(timer));
    if (!next || next.done) break;
    found.push(next.value);
  }
  await stream.return?.();
  return found;
}

/** Silence after which a stream counts as complete, in milliseconds. */
const quietMs = 2_000;

async function outcome<T>(read: () => Promise<T>): Promise<T | RecordedError> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RpcError) || error.code === "UNAVAILABLE") {
      throw error;
    }
    return { error: `${error.code}: ${error.message}` };
  }
}

const secretKey = /secret|token|password|private|preshared|^key$/i;

/**
 * Plain data without secrets.
 *
 * @param value Message or spec.
 * @param secret True to mask all texts and bytes in it; default those under secret keys.
 */
export function mask(value: unknown, secret = false): unknown {
  if (value instanceof Uint8Array) return `<${value.length} bytes>`;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "string") {
    return secret && value !== "" || value.includes("PRIVATE KEY")
      ? "***"
      : value;
  }
  if (Array.isArray(value)) {
    // Keys are listed as bytes.
    const isKey = secret && value.every((one) => typeof one === "number");
    return value.map((one) => isKey ? 0 : mask(one, secret));
  }
  if (!(value instanceof Object)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      // Program arguments may contain anything.
      const isSecret = secret || secretKey.test(key) ||
        key === "args" && typeof one === "string";
      return [key, mask(one, isSecret)];
    }),
  );
}

/**
 * Opens one node of a client configuration.
 *
 * @param osconfig Path of the client configuration; default that of osctl.
 */
function openNode(
  { osconfig, node }: {
    readonly osconfig: string | undefined;
    readonly node: string;
  },
  signal: AbortSignal,
): Nodes {
  return lazyNodes(() =>
    openSession({
      globals: {
        osconfig,
        nodes: [node],
        endpoints: [],
        nodeTimeout: deadlineMs,
        context: undefined,
        cluster: undefined,
        osv1KeysDir: undefined,
        noExpiryWarning: true,
        color: "auto",
        verbose: false,
        selector: undefined,
        noPager: true,
      },
      insecure: false,
      fingerprints: [],
      environment: realEnvironment(),
      signal,
      note: () => {},
    })
  );
}

const usage = "deno task record [--osconfig FILE] --node NODE [RECORDING]";

if (import.meta.main) await runTool(usage, main);

async function main(): Promise<{ readonly hasProblems: boolean }> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: { osconfig: { type: "string" }, node: { type: "string" } },
  });
  const { osconfig, node } = values;
  if (node === undefined) throw new UsageError("Give the node with --node");
  const [path = `recording-${node}.json`] = positionals;
  const nodes = openNode({ osconfig, node }, new AbortController().signal);
  const recording = await recordNode(await nodes.only("record"));
  nodes.close();
  await Deno.writeTextFile(path, `${JSON.stringify(recording, null, 1)}\n`);
  const said =
    `Wrote ${path}; it has names and addresses in it: read it before you pass it on\n`;
  await Deno.stdout.write(new TextEncoder().encode(said));
  return { hasProblems: false };
}
