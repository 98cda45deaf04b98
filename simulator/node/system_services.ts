/** System services of a node, and their state changes. */

import { domain } from "../../talos.ts";
import { ServiceStateEvent_Action as Action } from "../../transport/gen/machine_events.ts";
import { logKernel, logStart, logStop } from "./logs.ts";
import type { SimulatedNode } from "../state/node.ts";
import type {
  SimulatedServiceState,
  SystemService,
} from "../state/node_boot.ts";

interface ServiceFacts {
  /** Message of its running event, given a PID. */
  readonly started: (pid: number) => string;
  readonly after?: string;
  /** False without a health check. */
  readonly checked: boolean;
  /** Operations allowed through the API. */
  readonly operations: readonly ("start" | "stop" | "restart")[];
}

const maxEvents = 64;

/** Facts of a service; `undefined` if a node has none with this id. Those of extensions can be stopped. */
export function findFacts(id: string): ServiceFacts | undefined {
  if (Object.hasOwn(serviceFacts, id)) return serviceFacts[id];
  return id.startsWith("ext-")
    ? {
      ...container(id),
      after: "containerd",
      checked: false,
      operations: ["start", "stop", "restart"],
    }
    : undefined;
}

/** All services of an image without extensions, by id. */
export const serviceFacts: Readonly<Record<string, ServiceFacts>> = {
  apid: { ...container("apid"), after: "containerd" },
  auditd: builtIn(),
  containerd: program(
    "/bin/containerd",
    "--address",
    "/system/run/containerd/containerd.sock",
    "--state",
    "/system/run/containerd",
    "--root",
    "/system/var/lib/containerd",
  ),
  cri: program(
    "/bin/containerd",
    "--address",
    "/run/containerd/containerd.sock",
    "--config",
    "/etc/cri/containerd.toml",
  ),
  dashboard: {
    ...program("/sbin/dashboard"),
    after: "machined",
    checked: false,
  },
  etcd: { ...container("etcd"), after: "cri" },
  kubelet: {
    ...container("kubelet"),
    after: "cri",
    operations: ["start", "restart"],
  },
  machined: builtIn(),
  syslogd: builtIn(),
  trustd: { ...container("trustd"), after: "containerd" },
  udevd: program("/sbin/systemd-udevd", "--resolve-names=never"),
};

/** Starts a service: all steps that a node reports, up to the first successful health check. */
export function startService(node: SimulatedNode, id: string): void {
  const facts = findFacts(id);
  if (!facts) return;
  prepareService(node, id);
  runService(node, id);
  logStart(node, id);
  if (facts.checked) setHealth(node, id, true, "");
}

/** Starts a service up to its pre-start tasks. */
export function prepareService(node: SimulatedNode, id: string): void {
  reportService(node, id, "Starting", "Starting service");
  const { after } = findFacts(id) ?? {};
  if (after) {
    const message = `Waiting for service "${after}" to be "up"`;
    reportService(node, id, "Waiting", message);
  }
  reportService(node, id, "Preparing", "Running pre state");
}

/** Completes the start of a service: its process is running. */
export function runService(node: SimulatedNode, id: string): void {
  reportService(node, id, "Preparing", "Creating service runner");
  findService(node, id).starts++;
  const started = findFacts(id)?.started(findPid(node, id)) ?? "";
  reportService(node, id, "Running", started);
}

/** Stops a running service. `message`: last entry of its history. */
export function stopService(
  node: SimulatedNode,
  id: string,
  message?: string,
): void {
  logStop(node, id);
  terminateService(node, id);
  finishService(node, id, message);
}

/** Begins to stop a service: signals its process. */
export function terminateService(node: SimulatedNode, id: string): void {
  reportService(node, id, "Stopping", stopMessage(node, id));
  if (!findFacts(id)?.checked) return;
  setHealth(node, id, false, "service not running");
}

/** Completes the stop of a service. `message`: last entry of its history. */
export function finishService(
  node: SimulatedNode,
  id: string,
  message = "Service finished successfully",
): void {
  reportService(node, id, "Finished", message);
}

/** Adds an event to the history of a service. */
export function reportService(
  node: SimulatedNode,
  id: string,
  state: SimulatedServiceState,
  message: string,
): void {
  change(node, findService(node, id), state, message);
}

/** Reports the result of a health check. `message`: output of a failed check. */
export function setHealth(
  node: SimulatedNode,
  id: string,
  healthy: boolean,
  message: string,
): void {
  const service = findService(node, id);
  const changed = node.clock.now();
  service.health = { unknown: false, healthy, message, changed };
  if (service.state !== "Running") return;
  change(
    node,
    service,
    "Running",
    healthy ? "Health check successful" : `Health check failed: ${message}`,
  );
}

/** PID of a service: the same in every boot, and different after each restart. */
export function findPid(
  { boot: { services } }: SimulatedNode,
  id: string,
): number {
  const first = 1700 + Object.keys(serviceFacts).indexOf(id) * 37;
  return first + Math.max(0, (services.get(id)?.starts ?? 0) - 1) % 37;
}

function findService(node: SimulatedNode, id: string): SystemService {
  const existing = node.boot.services.get(id);
  if (existing) return existing;
  const unknown = { unknown: true, healthy: false, message: "", changed: 0 };
  const service: SystemService = {
    id,
    state: "Initialized",
    starts: 0,
    health: unknown,
    events: [],
  };
  node.boot.services.set(id, service);
  return service;
}

function change(
  node: SimulatedNode,
  service: SystemService,
  state: SimulatedServiceState,
  message: string,
): void {
  const { id } = service;
  const event = { state, message, time: node.clock.now() };
  service.state = state;
  service.events = [...service.events.slice(1 - maxEvents), event];
  logKernel(node, `service[${id}](${state}): ${message}`);
  node.boot.events.publish("ServiceStateEvent", {
    service: id,
    action: Action[upperCase(state)],
    message,
    health: { ...service.health, lastMessage: service.health.message },
  });
  publishResource(node, service);
}

/** Only running services have a resource. */
function publishResource(node: SimulatedNode, service: SystemService): void {
  const type = `Services.v1alpha1.${domain}`;
  const key = { namespace: "runtime", type, id: service.id };
  if (service.state !== "Running") return node.boot.resources.remove(key);
  const { healthy, unknown } = service.health;
  const owner = "v1alpha1.ServiceController";
  const spec = { running: true, healthy, unknown };
  node.boot.resources.put(key, { owner, spec });
}

function upperCase(state: SimulatedServiceState): keyof typeof Action {
  // The wire has the same names in upper case.
  return state.toUpperCase() as keyof typeof Action;
}

function stopMessage(node: SimulatedNode, id: string): string {
  const started = findFacts(id)?.started(0) ?? "";
  const [process] = started.match(/^Process Process\(.*\]\)/) ?? [];
  if (process) return `Sending SIGTERM to ${process.slice("Process ".length)}`;
  return started.startsWith("Started task")
    ? `Sending SIGTERM to task ${id} (PID ${
      findPid(node, id)
    }, container ${id})`
    : "Service stopping";
}

function program(...args: readonly string[]): ServiceFacts {
  const quoted = args.map((arg) => `"${arg}"`).join(" ");
  return checkedService((pid) =>
    `Process Process([${quoted}]) started with PID ${pid}`
  );
}

function container(id: string): ServiceFacts {
  return checkedService((pid) =>
    `Started task ${id} (PID ${pid}) for container ${id}`
  );
}

function builtIn(): ServiceFacts {
  return checkedService(() => "Service started as goroutine");
}

function checkedService(started: ServiceFacts["started"]): ServiceFacts {
  return { started, checked: true, operations: [] };
}
