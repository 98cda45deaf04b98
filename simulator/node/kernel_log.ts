/** Kernel log of a node: what `Dmesg` streams. */

import { systemName } from "../../dialect.ts";
import { kernelCommandLine } from "../resources/contents/system.ts";
import { logLine, slashed } from "./logs.ts";
import type { SimulatedNode } from "./node.ts";
import { runningRelease } from "./running_release.ts";

/** Writes what the kernel itself says as it starts. */
export function logBoot(node: SimulatedNode): void {
  const release = runningRelease(node);
  const time = node.boot.startedAt;
  const say = (text: string, priority = "info") =>
    node.boot.kernelLog.append({ facility: "kern", priority, time, text });
  say(
    `Linux version ${release.kernel}-${systemName} (@buildkitsandbox) (gcc) #1 SMP`,
    "notice",
  );
  say(`Command line: ${kernelCommandLine}`);
  for (const line of kernelLines) say(line);
}

const kernelLines: readonly string[] = [
  "BIOS-provided physical RAM map:",
  "NX (Execute Disable) protection: active",
  "DMI: QEMU Standard PC (Q35 + ICH9, 2009), BIOS 1.16.3 04/01/2014",
  "Hypervisor detected: KVM",
  "smp: Bringing up secondary CPUs ...",
  "virtio_blk virtio3: [vda] 41943040 512-byte logical blocks (21.5 GB/20.0 GiB)",
  "virtio_net virtio0 enp0s2: renamed from eth0",
  "Freeing unused kernel image (initmem) memory: 3048K",
  "Run /init as init process",
];

/** Adds a line that a program wrote into the kernel log as it is. */
export function logRaw(node: SimulatedNode, text: string): void {
  node.boot.kernelLog.append({
    facility: "user",
    priority: "warning",
    time: node.clock.now(),
    text,
  });
}

/** Adds what the node's init program says; its own log has it too. */
export function logKernel(node: SimulatedNode, text: string): void {
  const line = `${slashed(new Date(node.clock.now()))} [${systemName}] ${text}`;
  logLine(node, "machined", line);
  logRaw(node, `[${systemName}] ${text}`);
}
