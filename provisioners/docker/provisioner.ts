import { OsctlError } from "../../errors.ts";
import type { ClusterStatus, Provisioner } from "../provisioner.ts";
import {
  type ClusterLocation,
  clusterNotFound,
  joinFolder,
  type LocalCluster,
  type LocalNode,
  readOff,
  readState,
  removeFolder,
  writeOff,
} from "../state.ts";
import { createDocker, type DockerSpec, removeContainers } from "./cluster.ts";
import type { ReadVariable } from "./endpoint.ts";
import {
  asking,
  type ContainerEngine,
  openEngine,
  portHost,
} from "./engine.ts";
import { readContainers } from "./read_containers.ts";

/** Provisioner for clusters of containers, with the engine selected by the environment. */
export function docker(env: ReadVariable): Provisioner<DockerSpec> {
  const open = () => openEngine(env);
  return {
    async create(place, spec, options) {
      return await createDocker(await open(), place, { spec, options });
    },
    async start(place) {
      const engine = await open();
      const found = await status(engine, place);
      if (found === undefined) throw clusterNotFound(place);
      const { cluster, off } = found;
      const stayOff = await readOff(joinFolder(place));
      for (const node of cluster.clusterinfo.nodes) {
        const isOff = node.ips.some((ip) => off.includes(ip));
        // Sequential: control planes first, and each is quick.
        if (isOff && !stayOff.includes(node.name)) {
          await startNode(engine, node);
        }
      }
      const host = portHost(engine.place);
      // Control planes have a port; without the state file the engine's order of nodes is arbitrary.
      return cluster.clusterinfo.nodes.filter(({ apiport }) => apiport !== 0)
        .map(({ apiport }) => `${host}:${apiport}`);
    },
    async show(place) {
      return await status(await open(), place);
    },
    async destroy(place, { progress }) {
      await removeContainers(await open(), place.name, progress);
      await removeFolder(place);
    },
    async *logs(_place, node) {
      const { api } = await open();
      const options = { stdout: true, stderr: true, tail: 1_000 } as const;
      const log = await asking(
        `read the log of ${node.name}`,
        () => api.getContainer(node.id || node.name).logs(options),
      );
      yield plainLog(log);
    },
    async power(place, { action, nodes }) {
      const engine = await open();
      const before = await readOff(joinFolder(place));
      const names = nodes.map(({ name }) => name);
      const rest = before.filter((name) => !names.includes(name));
      const off = action === "off" ? [...rest, ...names] : rest;
      await Promise.all(nodes.map((node) => switchNode(engine, node, action)));
      await writeOff(joinFolder(place), off);
    },
    async ca(place) {
      return (await readState(place))?.ca;
    },
  };
}

/** Combines the state file and the engine; either may be missing. */
async function status(
  engine: ContainerEngine,
  place: ClusterLocation,
): Promise<ClusterStatus | undefined> {
  const state = await readState(place);
  const live = await readContainers(engine, place.name);
  if (state === undefined && live === undefined) return undefined;
  const cluster: LocalCluster = state ?? {
    provisionername: "docker",
    clusterinfo: live!.info, // at least one exists
  };
  const running = new Set(live?.running);
  const { nodes } = cluster.clusterinfo;
  return {
    cluster,
    running: running.size > 0,
    off: nodes.filter(({ name }) => !running.has(name.replace(/^\//, "")))
      .flatMap(({ ips }) => ips),
  };
}

async function startNode(
  { api }: ContainerEngine,
  node: LocalNode,
): Promise<void> {
  await asking(
    `start ${node.name}`,
    () => api.getContainer(node.id || node.name).start(),
  ).catch(unlessDone);
}

async function switchNode(
  engine: ContainerEngine,
  node: LocalNode,
  action: "on" | "off" | "cycle",
): Promise<void> {
  const container = engine.api.getContainer(node.id || node.name);
  if (action !== "on") {
    // Power off without a graceful stop.
    await asking(`power off ${node.name}`, () => container.stop({ t: 0 }))
      .catch(unlessDone);
  }
  if (action !== "off") await startNode(engine, node);
}

/** Ignores errors for a container already in the desired state. */
function unlessDone(error: unknown): void {
  const cause = error instanceof OsctlError ? error.cause : error;
  const { statusCode } = (cause ?? {}) as { readonly statusCode?: unknown };
  if (statusCode !== 304) throw error;
}

/**
 * Removes the frame headers from the log of a container without a TTY: 8 bytes each, with the stream in the
 * first and the length in the last four. Source: the engine's API, `ContainerAttach`.
 */
export function plainLog(log: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  const view = new DataView(log.buffer, log.byteOffset, log.byteLength);
  for (let at = 0; at + 8 <= log.length;) {
    const length = view.getUint32(at + 4);
    parts.push(log.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return new Uint8Array(parts.flatMap((part) => [...part]));
}
