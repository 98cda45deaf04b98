import assert from "node:assert/strict";
import type { ClusterOptions } from "../../simulator/cluster.ts";
import type { SimulatedNode } from "../../simulator/node.ts";
import { counting } from "../_counting.ts";
import { withFolder } from "../_folder.ts";
import { withWire } from "../_wire.ts";

const main = new URL("../../mod.ts", import.meta.url).pathname;
const dying = new URL("_dying.ts", import.meta.url).pathname;

/** Moments at which a client may die: around each record, and in the middle of one. */
const moments = [
  "after begin",
  "after intent",
  "before ack",
  "amid ack",
  "after ack",
  "before outcome",
  "after outcome",
] as const;

/** A command that must happen once. */
interface Trial {
  /** Command line without nodes. */
  readonly line: string;
  /** Method that does it. */
  readonly method: string;
  /** The cluster; the last node is the one that is worked on. */
  readonly cluster: ClusterOptions;
  /** How often the node boots. */
  readonly boots: number;
  /** What has to be true of the node afterwards. */
  readonly check?: (node: SimulatedNode) => void;
}

const trials: readonly Trial[] = [
  { line: "reboot", method: "Reboot", cluster: { workers: 1 }, boots: 1 },
  {
    line: "reset --yes --reboot --system-labels-to-wipe EPHEMERAL",
    method: "Reset",
    cluster: { workers: 1 },
    boots: 1,
  },
  {
    line: "upgrade --to v1.12.2",
    method: "Upgrade",
    cluster: { workers: 1, release: { tag: "v1.12.1" } },
    boots: 1,
    check: ({ boot }) => assert.equal(boot?.running.tag, "v1.12.2"),
  },
  {
    line: "bootstrap",
    method: "Bootstrap",
    cluster: { bootstrapped: false },
    boots: 0,
    check: ({ services }) =>
      assert.equal(services.get("etcd")?.state, "Running"),
  },
];

for (const trial of trials) {
  const [name] = trial.line.split(" ");
  for (const moment of moments) {
    Deno.test({
      name:
        `${name} happens once when its client dies ${moment} and is resumed`,
      // There is no SIGKILL.
      ignore: Deno.build.os === "windows",
      fn: () => killed(trial, moment),
    });
  }
}

async function killed(trial: Trial, moment: string): Promise<void> {
  const { line, method, cluster, boots } = trial;
  await withFolder({}, (home) =>
    withWire(cluster, async (wire) => {
      const node = wire.cluster.nodes.at(-1);
      assert.ok(node);
      const counts = await counting(node, method);
      const env = { OSCONFIG: wire.osconfig, OS_HOME: home };
      const begun = await osctl(`${line} --nodes ${node.identity.address}`, {
        ...env,
        DIES_AT: moment,
      });
      assert.equal(begun.signal, "SIGKILL", begun.err);
      const listed = await osctl("operation list -o jsonl", env);
      const { id, state } = JSON.parse(listed.out);
      assert.equal(state, "interrupted");
      const resumed = await osctl(`operation resume ${id}`, env);
      assert.equal(resumed.code, 0, resumed.err);
      await wire.cluster.settled();
      assert.deepEqual(counts(), { calls: 1, boots });
      trial.check?.(node);
    }));
}

/** Runs osctl from its sources as a process of its own. */
async function osctl(line: string, env: Readonly<Record<string, string>>) {
  const { code, signal, stdout, stderr } = await new Deno.Command(
    Deno.execPath(),
    {
      args: ["run", "-A", "--preload", dying, main, ...line.split(" ")],
      env,
    },
  ).output();
  const text = new TextDecoder();
  return { code, signal, out: text.decode(stdout), err: text.decode(stderr) };
}
