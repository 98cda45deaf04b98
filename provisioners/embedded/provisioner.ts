import type { Provisioner } from "../provisioner.ts";
import { joinFolder, readOff, readState } from "../state.ts";
import { isRunning } from "../background.ts";
import { createEmbedded, removeEmbedded, startEmbedded } from "./cluster.ts";
import { readConsole } from "./console.ts";
import { embeddedCa, type EmbeddedSpec } from "./folder.ts";
import { changePower } from "./power.ts";

/** Provisioner for clusters of simulated nodes in a background process. */
export const embedded: Provisioner<EmbeddedSpec> = {
  create: createEmbedded,
  async start(place, options) {
    return (await startEmbedded(place, options)).endpoints;
  },
  async show(place) {
    const cluster = await readState(place);
    if (cluster === undefined) return undefined;
    const running = await isRunning(place);
    return { cluster, running, off: await readOff(joinFolder(place)) };
  },
  async destroy(place, { progress }) {
    await progress.phase("stopping nodes", () => removeEmbedded(place));
  },
  logs: (place, { name }, signal) => readConsole(place, name, signal),
  async power(place, { action, nodes }, signal) {
    const addresses = nodes.flatMap(({ ips }) => ips.slice(0, 1));
    await changePower(place, { action, nodes: addresses }, signal);
  },
  ca: embeddedCa,
};
