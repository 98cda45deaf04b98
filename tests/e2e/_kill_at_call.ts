/** Clients that are killed at a call: the node has it, and the answer is lost. */

import assert from "node:assert/strict";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import type { ActiveFault } from "../../simulator/state/faults.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { readFields } from "../../workflows/kubernetes/client.ts";
import { withFolder } from "../_folder.ts";
import { type Wire, withWire } from "../_wire.ts";

/** A command that must happen once. */
export interface Trial {
  /** Command line without nodes. */
  readonly line: string;
  /** The cluster; the last node is the one that is worked on. */
  readonly cluster: ClusterOptions;
  /** Times the node boots. */
  readonly boots: number;
  /** Times an installer runs; default none. */
  readonly installs?: number;
}

export type When =
  | {
    /** At the first call of a method, or the first request of such a kind to Kubernetes: `Reboot`, `PATCH`. */
    readonly at: string;
  }
  | {
    /** At the call that comes after it. */
    readonly behind: string;
  }
  | {
    /** At the call of this number, from 1 on. */
    readonly number: number;
  };

export interface Killed {
  /** False when the client came to its end before that. */
  readonly killed: boolean;
  /** True if there was something to resume; else the line was typed again. */
  readonly resumed: boolean;
  readonly status: number;
}

const main = new URL("../../mod.ts", import.meta.url).pathname;

/**
 * Kills a client, lets another continue, and checks that everything happened once.
 *
 * @param trial The command.
 * @param when When it is killed.
 */
export async function killAt(trial: Trial, when: When): Promise<Killed> {
  let end: Killed = { killed: false, resumed: false, status: 0 };
  await withFolder({}, (home) =>
    withWire(trial.cluster, async (wire) => {
      const node = wire.cluster.nodes.at(-1) ?? assert.fail();
      const { boots, installs } = node.counts;
      const env = { OSCONFIG: wire.osconfig, OS_HOME: home };
      const line = `${trial.line} --nodes ${node.identity.address}`;
      const listening = listen(wire, when);
      const killed = await run(line, env, listening.take);
      listening.stop();
      const listed = await wire.osctl("operation list -o jsonl", { env });
      const id = listed.out === "" ? undefined : JSON.parse(listed.out).id;
      // The last request may still be in flight.
      await wire.cluster.settled();
      const again = killed.signal === null
        ? killed
        : await wire.osctl(id === undefined ? line : `operation resume ${id}`, {
          env,
        });
      assert.equal(again.status, 0, again.err);
      await wire.cluster.settled();
      const reported = killed.err + again.err;
      assert.equal(node.counts.boots - boots, trial.boots, reported);
      assert.equal(
        node.counts.installs - installs,
        trial.installs ?? 0,
        reported,
      );
      assert.equal(isClosed(wire, node), false, reported);
      end = {
        killed: killed.signal === "SIGKILL",
        resumed: id !== undefined,
        status: again.status,
      };
    }));
  return end;
}

/** Watches the calls to the nodes of a cluster and to its Kubernetes, and kills the client at one of them. */
function listen({ cluster }: Wire, when: When) {
  const name = "number" in when ? "" : "at" in when ? when.at : when.behind;
  let client: Deno.ChildProcess | undefined;
  let calls = 0;
  let isNext = "number" in when;
  // A fault that does no harm is informed of every call.
  function noteCall(method: string): void {
    const fault: ActiveFault = {
      ...method === "" ? {} : { method },
      ms: 0,
      triggered: false,
      get remaining() {
        return Infinity;
      },
      set remaining(_) {
        hear(!isNext);
      },
    };
    for (const { faults } of cluster.nodes) faults.set("slow", fault);
  }
  function hear(isNamed: boolean): void {
    if (client === undefined) return;
    calls++;
    const isIt = "number" in when
      ? calls === when.number
      : "at" in when
      ? isNamed
      : isNext;
    if (isNamed && !isNext) {
      isNext = true;
      noteCall("");
    }
    if (!isIt) return;
    client.kill("SIGKILL");
    client = undefined;
  }
  noteCall(name);
  const { kubernetesApi: api } = cluster.nodes[0]?.cluster ?? {};
  assert.ok(api);
  const { request } = api;
  Object.assign(api, {
    request(asked: Parameters<typeof request>[0]) {
      hear(asked.method === name);
      return request(asked);
    },
  });
  return {
    take: (child: Deno.ChildProcess) => void (client = child),
    stop: () => void (client = undefined),
  };
}

/** Runs osctl from its sources as a process of its own. */
async function run(
  line: string,
  env: Readonly<Record<string, string>>,
  onStart: (child: Deno.ChildProcess) => void,
) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", main, ...line.split(" ")],
    env,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  onStart(child);
  const { code: status, signal, stderr } = await child.output();
  return { status, signal, err: new TextDecoder().decode(stderr) };
}

function isClosed({ cluster }: Wire, { identity }: SimulatedNode): boolean {
  const path = `/api/v1/nodes/${identity.hostname}`;
  const { body } = cluster.kubernetes.request({ method: "GET", path });
  return readFields(readFields(body).spec).unschedulable === true;
}
