import { untilAborted } from "../clock/clock.ts";
import { stopEtcd } from "../etcd/etcd_service.ts";
import { triggerFault } from "../state/faults.ts";
import { logKernel, logRaw } from "../node/logs.ts";
import type { SimulatedNode } from "../state/node.ts";
import { stopService } from "../node/system_services.ts";
import { endStreams } from "../node/shutdown_streams.ts";
import { bootNode, panic, powerOff, untilPowerOn } from "./boot.ts";
import { runInstaller } from "./installer.ts";
import { TaskFailure } from "./run_sequence.ts";
import { endOfTask, startSequence } from "./sequencer.ts";
import * as sequences from "../release/sequences.ts";
import type { Sequence, SequenceName } from "../release/sequences.ts";

/** Options for stopping a node. */
export interface StopOptions {
  /** UUID of the requesting operation; default none. */
  readonly actorId?: string;
  /** True to replace any running sequence; default only those that a stop of this kind may replace. */
  readonly takesOver?: boolean;
  /** Runs a task in addition to stopping; a {@linkcode TaskFailure} reboots the node. */
  readonly onTask?: (node: SimulatedNode, task: string) => Promise<void>;
}

/** Reboots a node; a forced reboot does not stop services first. Resolves when the node is ready again or refuses. */
export async function reboot(
  node: SimulatedNode,
  { forced = false, ...options }: StopOptions & { readonly forced?: boolean } =
    {},
): Promise<void> {
  const sequence = forced ? sequences.forcedReboot : sequences.reboot;
  await stopNode(node, sequence, options);
}

/** Installs an image and reboots a node. */
export async function upgrade(
  node: SimulatedNode,
  { image, kexec, ...options }: StopOptions & {
    readonly image: string;
    readonly kexec: boolean;
  },
): Promise<void> {
  await stopNode(node, sequences.upgrade({ kexec }), {
    ...options,
    async onTask(_, task) {
      if (task !== "upgrade") return;
      logKernel(node, `performing upgrade via "${image}"`);
      const say = (line: string) => logRaw(node, line);
      const status = await runInstaller(node, { image, upgrade: true, say });
      if (status !== 0) {
        throw new TaskFailure(`task "upgrade" failed: exit code ${status}`);
      }
      logKernel(node, "upgrade successful");
    },
  });
}

/** Shuts a node down; it stays off until it is powered on. */
export async function shutDown(
  node: SimulatedNode,
  { forced = false, ...options }: StopOptions & { readonly forced?: boolean } =
    {},
): Promise<void> {
  await stopNode(node, sequences.shutdown({ forced }), options);
}

/** Power-cycles a node. */
export async function powerCycle(node: SimulatedNode): Promise<void> {
  powerOff(node);
  node.isOff = false;
  if (await untilPowerOn(node)) await bootNode(node);
}

/** Power operation on a node. */
export type PowerChange = "on" | "off" | "cycle";

/**
 * Switches the power of a node, as with the power button of the machine: nothing is shut down gracefully. A node that
 * is on, or coming back on its own, is not affected by `on`; `cycle` powers on a node that is off.
 *
 * @returns Once the power is switched; the boot continues in the background.
 */
export async function switchPower(
  node: SimulatedNode,
  action: PowerChange,
): Promise<void> {
  if (action === "off") return await switchOff(node);
  const wasOff = node.isOff;
  node.isOff = false;
  if (wasOff) await node.save();
  if (wasOff) node.work(bootNode(node));
  else if (action === "cycle") node.work(powerCycle(node));
}

async function switchOff(node: SimulatedNode): Promise<void> {
  powerOff(node);
  node.isOff = true;
  await node.save();
}

/** Runs a sequence that stops everything, ending in a reboot or shutdown; if it fails, the node reboots. */
export async function stopNode(
  node: SimulatedNode,
  sequence: Sequence,
  { onTask, ...options }: StopOptions,
): Promise<void> {
  const end = await startSequence(node, sequence, {
    ...options,
    durationMs: node.pace.stopMs,
    async onTask(_, task) {
      await stopTask(node, task);
      await onTask?.(node, task);
    },
  });
  if (end === "refused") {
    logKernel(
      node,
      `${lockedOut[sequence.name] ?? sequence.name} failed: locked`,
    );
  } else if (end === "failed") {
    await panic(node);
    if (!node.boot.power.signal.aborted) await powerCycle(node);
  } else if (end === "done") {
    const staysOff = sequence.phases.at(-1)?.name === "shutdown";
    await (staysOff ? switchOff(node) : powerCycle(node));
  }
}

/** Names of refused sequences in error messages, where they differ from the sequence name. */
const lockedOut: Readonly<Partial<Record<SequenceName, string>>> = {
  stageUpgrade: "reboot for staged upgrade",
};

async function stopTask(node: SimulatedNode, task: string): Promise<void> {
  if (endless.has(task) && triggerFault(node, "never-reboots", "Reboot")) {
    await node.idle(untilAborted(endOfTask(node)));
  }
  if (task === "stopServicesForUpgrade") await stopAll(node, isOfKubernetes);
  if (task !== "stopAllServices") return;
  await stopAll(node, () => true);
  await endStreams(node);
  closeApi(node);
}

/** Refuses new connections while the node continues running. */
export function closeApi(node: SimulatedNode): void {
  node.boot.reachable = false;
  node.network.down();
}

/** Tasks that hang when a node never reboots. */
const endless: ReadonlySet<string> = new Set(["stopAllPods", "removeAllPods"]);

function isOfKubernetes(id: string): boolean {
  return id === "kubelet" || id === "etcd" || id === "cri" || id === "trustd";
}

async function stopAll(
  node: SimulatedNode,
  isWanted: (id: string) => boolean,
): Promise<void> {
  // It may also be about to start.
  await stopEtcd(node);
  for (const { id, state } of node.boot.services.values()) {
    if (state === "Running" && isWanted(id)) stopService(node, id);
  }
}
