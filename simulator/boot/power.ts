import { aborted } from "../clock/clock.ts";
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

/** Who stops a node, and how. */
export interface StopOptions {
  /** Operation that asked for it, a UUID; default none. */
  readonly actorId?: string;
  /** True when it ends whatever the node is doing; default only what a stop of its kind may end. */
  readonly takesOver?: boolean;
  /** Does what a task is for, beside stopping; a {@linkcode TaskFailure} makes the node reboot. */
  readonly onTask?: (node: SimulatedNode, task: string) => Promise<void>;
}

/** Reboots a node; a forced reboot stops no service first. Resolves when the node is ready again, or does not do it. */
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

/** Shuts a node down; it stays off until it is switched on. */
export async function shutDown(
  node: SimulatedNode,
  { forced = false, ...options }: StopOptions & { readonly forced?: boolean } =
    {},
): Promise<void> {
  await stopNode(node, sequences.shutdown({ forced }), options);
}

/** Takes the power away and gives it back. */
export async function powerCycle(node: SimulatedNode): Promise<void> {
  powerOff(node);
  node.isOff = false;
  if (await untilPowerOn(node)) await bootNode(node);
}

/** What is done with the power of a node. */
export type PowerChange = "on" | "off" | "cycle";

/**
 * Switches the power of a node, as by the power button of the machine: nothing is stopped in good order. A node that
 * is on, or comes back by itself, is left alone by `on`; `cycle` switches on a node that is off.
 *
 * @returns When the power is switched; the boot continues in the background.
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

/** Runs a sequence that stops everything, up to a reboot or with the machine off; when it fails, the node reboots. */
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

/** How a node names sequences that it does not begin, where that is not their own name. */
const lockedOut: Readonly<Partial<Record<SequenceName, string>>> = {
  stageUpgrade: "reboot for staged upgrade",
};

async function stopTask(node: SimulatedNode, task: string): Promise<void> {
  if (endless.has(task) && triggerFault(node, "never-reboots", "Reboot")) {
    await node.idle(aborted(endOfTask(node)));
  }
  if (task === "stopServicesForUpgrade") await stopAll(node, isOfKubernetes);
  if (task !== "stopAllServices") return;
  await stopAll(node, () => true);
  await endStreams(node);
  closeApi(node);
}

/** Refuses connections from now on, while the node goes on by itself. */
export function closeApi(node: SimulatedNode): void {
  node.boot.reachable = false;
  node.network.down();
}

/** Tasks that hang when a node never gets to its reboot. */
const endless: ReadonlySet<string> = new Set(["stopAllPods", "removeAllPods"]);

function isOfKubernetes(id: string): boolean {
  return id === "kubelet" || id === "etcd" || id === "cri" || id === "trustd";
}

async function stopAll(
  node: SimulatedNode,
  isWanted: (id: string) => boolean,
): Promise<void> {
  // It may be about to start, too.
  await stopEtcd(node);
  for (const { id, state } of node.boot.services.values()) {
    if (state === "Running" && isWanted(id)) stopService(node, id);
  }
}
