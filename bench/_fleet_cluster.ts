/** A cluster of a fleet whose pods are processes of a rehearsal, and what each of them has used. */

import { load, steps } from "../tests/workflows/rehearsal/_runbooks.ts";
import { parseFault } from "../workflows/rehearsal/faults/parse_fault.ts";
import { openTestbed } from "../workflows/rehearsal/open_testbed.ts";
import { startProcess } from "../workflows/rehearsal/simulated_process.ts";
import type { JournalStore } from "../workflows/runbooks/journal/writer.ts";
import { resolveInputs } from "../workflows/runbooks/language/resolve_inputs.ts";

export interface PodFigures {
  /** Exit status; `undefined` when it was killed. */
  readonly status: number | undefined;
  /** Its duration, in milliseconds of the cluster's time. */
  readonly ms: number;
  /** Processor time of osctl and of the simulated nodes, in milliseconds. */
  readonly cpuMs: number;
  /** Times of syncs of its journal, in milliseconds since its start. */
  readonly syncs: readonly number[];
  /** Writes to its journal. */
  readonly writes: number;
  /** Bytes of these. */
  readonly journalBytes: number;
  /** Bytes of its events; as many are in its log. */
  readonly eventBytes: number;
  /** Requests for the Lease of its cluster. */
  readonly leaseRequests: number;
}

/** A simulated cluster. */
export interface FleetCluster extends AsyncDisposable {
  /** Runs a pod, or resumes its run. `killAt`: number of the journal write after which it is killed. */
  readonly pod: (killAt?: number) => Promise<PodFigures>;
  /** Lets time pass between pods. */
  readonly wait: (ms: number) => Promise<void>;
  /** Repairs the worker that does not come back. */
  readonly mend: () => Promise<void>;
}

const runbook = await load("builtin:rolling-upgrade");

/**
 * Makes a cluster of three control planes and workers that is to be upgraded.
 *
 * @param isBad True for one with a worker that does not come back from its reboot.
 */
export async function openFleetCluster(
  { nodes, seed, isBad }: {
    readonly nodes: number;
    readonly seed: number;
    readonly isBad: boolean;
  },
): Promise<FleetCluster> {
  const spec = {
    controlPlanes: 3,
    workers: nodes - 3,
    version: "v1.13.4",
    grub: false,
  };
  const inputs = await resolveInputs(runbook, {
    given: ["version=v1.13.6"],
    secrets: [],
    env: () => undefined,
    ask: () => Promise.reject(new Error("nothing is asked")),
  });
  const { stage, disk, [Symbol.asyncDispose]: close } = await openTestbed(
    spec,
    { runbook, inputs, seed, parallel: 32, steps: steps() },
  );
  const { clock } = stage;
  const mend = isBad
    ? await stage.strike(parseFault("node/demo-worker-2: never-returns"))
    : () => Promise.resolve();

  async function pod(killAt = Infinity): Promise<PodFigures> {
    const startedAt = clock.now();
    const cpu = process.cpuUsage();
    const syncs: number[] = [];
    const used = { writes: 0, journalBytes: 0, eventBytes: 0, leases: 0 };
    const { promise: killed, resolve: kill } = Promise.withResolvers<
      undefined
    >();
    const life = startProcess({
      clock,
      gate({ method }) {
        if (method.includes("/leases")) used.leases++;
        return Promise.resolve({ kind: "none" });
      },
    });
    const through = (store: JournalStore): JournalStore => ({
      async write(bytes) {
        await store.write(bytes);
        used.writes++;
        used.journalBytes += bytes.length;
        if (used.writes < killAt) return;
        life.kill();
        kill(undefined);
      },
      async sync() {
        syncs.push(clock.now() - startedAt);
        await store.sync();
      },
    });
    const status = await clock.run(async () => {
      const process = stage.runProcess(life, disk, {
        through,
        emit(reported) {
          const event = { v: 1, seq: 1, ts: "", run: "", ...reported };
          used.eventBytes += JSON.stringify(event).length + unseen;
        },
      });
      const end = await Promise.race([process, killed]);
      life.kill();
      await clock.hold(life.work.settled());
      return end?.status;
    });
    const { user, system } = process.cpuUsage(cpu);
    return {
      status,
      ms: clock.now() - startedAt,
      cpuMs: (user + system) / 1_000,
      syncs,
      writes: used.writes,
      journalBytes: used.journalBytes,
      eventBytes: used.eventBytes,
      leaseRequests: used.leases,
    };
  }

  return {
    pod,
    wait: (ms) => clock.run(() => clock.sleep(ms)),
    mend,
    [Symbol.asyncDispose]: close,
  };
}

/** Length of the time and the id of a run, and of the number and the end of a line, in an event. */
const unseen = 24 + 13 + 3;
