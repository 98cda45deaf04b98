import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { readFields } from "../../workflows/kubernetes/client.ts";
import { withFolder } from "../_folder.ts";
import { needs, posix } from "../_needs.ts";
import type { Ran } from "../_run.ts";
import { type Wire, withWire } from "../_wire.ts";

/** Waits for what must not come take a minute each. */
export const longestSeconds = 180;

const main = new URL("../../mod.ts", import.meta.url).pathname;
const dying = new URL("_crashing_osctl.ts", import.meta.url).pathname;

/** An upgrade in two calls, of one of two workers. */
interface Upgrading {
  /** The cluster. */
  readonly wire: Wire;
  /** The node. */
  readonly node: SimulatedNode;
  /** Command line of the upgrade. */
  readonly line: string;
  /** Makes a client in a process of its own, which has not started. */
  readonly client: (
    line: string,
    env?: Readonly<Record<string, string>>,
  ) => Deno.Command;
  /** Runs a client with the same home in this process. */
  readonly osctl: (line: string) => Promise<Ran>;
  readonly isClosed: () => boolean;
  /** Installations and boots since the cluster began. */
  readonly done: () => readonly [installs: number, boots: number];
}

async function withUpgrading(
  installMs: number,
  test: (upgrading: Upgrading) => Promise<void>,
): Promise<void> {
  const pace = { bootMs: 200, stopMs: 50, downMs: 200, installMs };
  const cluster = { workers: 2, pace, release: { tag: "v1.13.0" } };
  await withFolder({}, (home) =>
    withWire(cluster, async (wire) => {
      const node = wire.cluster.nodes.at(-1) ?? assert.fail();
      const { installs, boots } = node.counts;
      const own = { OSCONFIG: wire.osconfig, OS_HOME: home };
      await test({
        wire,
        node,
        line: `upgrade --to v1.13.1 --nodes ${node.identity.address}`,
        client: (line, env = {}) =>
          new Deno.Command(Deno.execPath(), {
            args: ["run", "-A", "--preload", dying, main, ...line.split(" ")],
            env: { ...own, ...env },
            stdout: "piped",
            stderr: "piped",
          }),
        osctl: (line) => wire.osctl(line, { env: own }),
        isClosed() {
          const path = `/api/v1/nodes/${node.identity.hostname}`;
          const { body } = wire.cluster.kubernetes.request({
            method: "GET",
            path,
          });
          return readFields(readFields(body).spec).unschedulable === true;
        },
        done:
          () => [node.counts.installs - installs, node.counts.boots - boots],
      });
    }));
}

/** Kills a client as soon as it tells a line of the installer. */
async function killAmidStream(command: Deno.Command): Promise<string> {
  const child = command.spawn();
  let reported = "";
  for await (
    const text of child.stderr.pipeThrough(new TextDecoderStream())
  ) {
    reported += text;
    if (!reported.includes("installer: ")) continue;
    child.kill("SIGKILL");
    break;
  }
  await child.stdout.cancel();
  const { signal } = await child.status;
  assert.equal(signal, "SIGKILL", reported);
  return reported;
}

function check(
  name: string,
  installMs: number,
  test: (upgrading: Upgrading) => Promise<void>,
): void {
  Deno.test({
    name,
    // There is no SIGKILL.
    ...needs(posix),
    fn: () => withUpgrading(installMs, test),
  });
}

check(
  "upgrade installs and reboots once when its client is killed amid the stream of the installer, and resumed while that is at work",
  16_000,
  async ({ wire, node, line, client, osctl, isClosed, done }) => {
    await killAmidStream(client(line));
    assert.deepEqual(done(), [0, 0]);
    assert.equal(isClosed(), true);
    const { out } = await osctl("operation list -o jsonl");
    const resumed = await osctl(`operation resume ${JSON.parse(out).id}`);
    assert.equal(resumed.status, 0, resumed.err);
    assert.match(resumed.err, /the installer is running/);
    await wire.cluster.settled();
    assert.deepEqual(done(), [1, 1]);
    assert.equal(node.disk.bootEntries?.running.tag, "v1.13.1");
    assert.equal(isClosed(), false);
  },
);

check(
  "upgrade installs and reboots once when its client is killed amid the stream of the installer, and it is typed again behind that",
  1_000,
  async ({ node, line, client, osctl, isClosed, done }) => {
    await killAmidStream(client(line));
    while (node.boot.installer !== undefined) await pause(50);
    assert.deepEqual(done(), [1, 0]);
    const again = await osctl(line);
    assert.equal(again.status, 0, again.err);
    assert.deepEqual(done(), [1, 1]);
    assert.equal(node.disk.bootEntries?.running.tag, "v1.13.1");
    assert.equal(isClosed(), false);
  },
);

check(
  "upgrade that is typed again behind the reboot of a client that was killed only opens the node",
  100,
  async ({ wire, node, line, client, osctl, isClosed, done }) => {
    const died = await client(line, { DIES_AT: "before ack" }).output();
    const told = new TextDecoder().decode(died.stderr);
    assert.equal(died.signal, "SIGKILL", told);
    await wire.cluster.settled();
    assert.deepEqual(done(), [1, 1]);
    assert.equal(isClosed(), true);
    const again = await osctl(`${line} -o jsonl`);
    assert.equal(
      JSON.parse(again.out).reason,
      `ready, v1.13.1; ${node.identity.hostname} is uncordoned`,
      again.err,
    );
    assert.equal(isClosed(), false);
    assert.deepEqual(done(), [1, 1]);
    const last = await osctl(`${line} -o jsonl`);
    assert.equal(JSON.parse(last.out).outcome, "unchanged");
  },
);
