/** Read-only connections of a plan: nothing is sent that could change anything. */

import { OsctlError } from "../../../errors.ts";
import type { Method, Transport } from "../../../transport/call/call.ts";
import type { Kubernetes, KubernetesObject } from "../../kubernetes/client.ts";

/** Read-only methods, by service; no other method is ever sent. */
const reading: Readonly<Record<string, readonly string[]>> = {
  "cosi.resource.State": ["Get", "List", "Watch"],
  "machine.ImageService": ["List"],
  "machine.MachineService": [
    "CPUFreqStats",
    "CPUInfo",
    "Containers",
    "DiskStats",
    "DiskUsage",
    "Dmesg",
    "EtcdAlarmList",
    "EtcdDowngradeValidate",
    "EtcdMemberList",
    "EtcdStatus",
    "Events",
    "Hostname",
    "ImageList",
    // Creates a kubeconfig, which the node does not keep.
    "Kubeconfig",
    "List",
    "LoadAvg",
    "Logs",
    "LogsContainers",
    "Memory",
    "Mounts",
    "Netstat",
    "NetworkDeviceStats",
    "Processes",
    "Read",
    "ServiceList",
    "Stats",
    "SystemStat",
    "Version",
  ],
  "storage.StorageService": ["Disks"],
  "time.TimeService": ["Time", "TimeCheck"],
};

/** Paths of these methods. */
export const readingPaths: ReadonlySet<string> = new Set(
  Object.entries(reading).flatMap(([service, methods]) =>
    methods.map((method) => `/${service}/${method}`)
  ),
);

/**
 * Makes a transport that only sends calls that change nothing.
 *
 * @returns Raises `OsctlError` for all other calls, before anything is sent.
 */
export function readingOnly(inner: Transport): Transport {
  return {
    async unary(method, request, options) {
      refuseChange(method);
      return await inner.unary(method, request, options);
    },
    async *stream(method, request, options) {
      refuseChange(method);
      yield* inner.stream(method, request, options);
    },
    close: inner.close,
  };
}

function refuseChange({ path }: Pick<Method<never, never>, "path">): void {
  if (readingPaths.has(path)) return;
  const method = path.slice(path.lastIndexOf("/") + 1);
  throw onlyRead(`call ${method} of a node`);
}

/**
 * Makes a connection to Kubernetes that only gets objects, each once, so that a plan shows one moment, and sends dry
 * runs.
 *
 * @returns Raises `OsctlError` for all other requests, before anything is sent.
 */
export function readingKubernetes(inner: Kubernetes): Kubernetes {
  const known = new Map<string, Promise<KubernetesObject>>();

  async function got(
    path: string,
    signal: AbortSignal,
  ): Promise<KubernetesObject> {
    const before = known.get(path);
    if (before !== undefined) return await before;
    const listed = await listedNode(path, known.get(nodesPath));
    if (listed !== undefined) return listed;
    const asked = inner.request(path, { signal });
    known.set(path, asked);
    // A request that failed is sent again the next time.
    asked.catch(() => known.delete(path));
    return await asked;
  }

  return {
    async request(path, { method = "GET", body, signal, ...rest }) {
      // Kubernetes stores nothing of a dry run, and refuses one that would have other effects.
      if (isDryRun(path)) {
        return await inner.request(path, { method, ...rest, body, signal });
      }
      if (method !== "GET" || body !== undefined) {
        throw onlyRead(`send ${method} ${path} to Kubernetes`);
      }
      return await got(path, signal);
    },
    [Symbol.dispose]: () => inner[Symbol.dispose](),
  };
}

function isDryRun(path: string): boolean {
  const { searchParams } = new URL(path, "https://kubernetes");
  const values = searchParams.getAll("dryRun");
  return values.length === 1 && values[0] === "All";
}

const nodesPath = "/api/v1/nodes";

/** Gets a node from one list of all nodes: hundreds of single requests would be slow. */
async function listedNode(
  path: string,
  list: Promise<KubernetesObject> | undefined,
): Promise<KubernetesObject | undefined> {
  if (list === undefined || !path.startsWith(`${nodesPath}/`)) return undefined;
  const { items } = await list.catch(() => ({ items: [] }));
  // A list of nodes has nodes as items.
  const nodes = items as readonly KubernetesObject[] | undefined;
  const name = decodeURIComponent(path.slice(nodesPath.length + 1));
  return nodes?.find(({ metadata }) => metadata?.name === name);
}

/** Error: a plan does not do this. `act`: the action: `call Reboot of a node`. */
export function onlyRead(act: string): OsctlError {
  return new OsctlError(`A plan only reads, and cannot ${act}`);
}
