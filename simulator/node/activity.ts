/** Load of a node: the source of its CPU, network and disk counters. */

import { type SimulatedNode, upSeconds } from "../state/node.ts";

/** Period of the load of a node, in seconds. */
const waveSeconds = 240;

const swing = 0.6;

/** Phase of a node's load; the nodes of a cluster are not all busy at once. */
function hashPhase({ identity: { uuid } }: SimulatedNode): number {
  return Number.parseInt(uuid.slice(0, 4), 16) / 0x1_0000 * 2 * Math.PI;
}

const speed = 2 * Math.PI / waveSeconds;

/** Seconds since boot, weighted by load; monotonic. */
export function busySeconds(node: SimulatedNode): number {
  const phase = hashPhase(node);
  const up = upSeconds(node);
  return up +
    swing / speed * (Math.sin(speed * up + phase) - Math.sin(phase));
}

/** Load averages of the kernel over 1, 5 and 15 minutes. */
export function measureLoad(
  node: SimulatedNode,
): readonly [number, number, number] {
  const at = speed * upSeconds(node) + hashPhase(node);
  const load = (usual: number, lateMs: number, damped: number) =>
    Math.round(usual * (1 + damped * Math.cos(at - lateMs)) * 100) / 100;
  return [load(0.42, 0.2, swing), load(0.36, 0.8, 0.2), load(0.31, 1.4, 0.05)];
}
