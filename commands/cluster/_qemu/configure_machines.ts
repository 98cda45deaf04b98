/** Gives machines that wait for one their configuration. */

import type { Progress, QemuSpec } from "../../../provisioners/mod.ts";
import { openNodes } from "../../../transport/node/open_nodes.ts";
import { pause } from "../../../transport/pause.ts";
import { sendConfiguration } from "../../../workflows/configuration/send.ts";
import type { Context } from "../../_kit/mod.ts";
import { untilAnswering } from "../_start_kubernetes.ts";

/** What is sent. */
export interface FirstConfigurations {
  /** Machines that were just made, and wait for a configuration. */
  readonly machines: QemuSpec["plan"]["machines"];
  /** Configurations by machine, YAML. */
  readonly configurations: ReadonlyMap<string, string>;
  /** Longest wait for all of it, in milliseconds. */
  readonly waitMs: number;
  /** Where to report. */
  readonly progress: Progress;
}

/** Sends each machine its configuration once it answers. Throws `TimeoutError` when that takes too long. */
export async function configureMachines(
  { machines, configurations, waitMs, progress }: FirstConfigurations,
  { environment, signal, note }: Pick<
    Context<unknown>,
    "environment" | "signal" | "note"
  >,
): Promise<void> {
  const now = () => environment.now().getTime();
  const sleep = () => pause(500, signal);
  const wait = { now, sleep, signal, deadline: now() + waitMs };
  await progress.phase("applying configurations", async () => {
    for (const { name, ips: [ip = ""] } of machines) {
      const text = configurations.get(name) ?? "";
      await untilAnswering(`the maintenance API of ${ip}`, wait, async () => {
        const nodes = openNodes({
          endpoints: [],
          nodes: [ip],
          identity: {},
          // On a network of their own.
          maintenance: { fingerprints: [] },
          nodeTimeoutMs: 10_000,
          env: environment.env,
          signal,
          note,
        });
        try {
          const node = await nodes.unconfigured(ip);
          await sendConfiguration(node, { text, mode: 0 });
        } finally {
          nodes.close();
        }
      });
      progress.node(name, "configured");
    }
  });
}
