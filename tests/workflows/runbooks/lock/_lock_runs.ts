/** Runs that hold a cluster over its sockets, and what becomes of them. */

import { OsctlError } from "../../../../errors.ts";
import type { RunningCluster } from "../../../../simulator/cluster/cluster.ts";
import {
  type Kubernetes,
  openKubernetes,
} from "../../../../workflows/kubernetes/client.ts";
import { ClusterLock } from "../../../../workflows/runbooks/lock/cluster_lock.ts";
import type {
  ClusterLockOptions,
} from "../../../../workflows/runbooks/lock/cluster_lock_types.ts";
import {
  type LeaseState,
  readLease,
} from "../../../../workflows/runbooks/lock/lease.ts";
import type { Details } from "../_records.ts";
import { withCluster } from "../../../_cluster.ts";
import { type ManualClock, manualClock } from "../../../simulator/_clock.ts";
import { adminAccess } from "../../../simulator/kubernetes/_access.ts";

/** One run over the sockets of a cluster, and what became of it. */
export interface Run {
  /** Its lock. */
  readonly hold: ClusterLock;
  readonly records: Details[];
  readonly notes: string[];
}

export interface Scene {
  /** The cluster. */
  readonly cluster: RunningCluster;
  /** Its API server. */
  readonly kubernetes: Kubernetes;
  /** Time, which is at noon. */
  readonly clock: ManualClock;
  /** Makes a run. */
  readonly run: (id: string, more?: Partial<ClusterLockOptions>) => Run;
  /** The Lease, without its version. */
  readonly lease: () => Promise<Omit<LeaseState, "version"> | undefined>;
  /** Takes the API server away, and brings it back. */
  readonly away: (isAway: boolean) => void;
  /** Lines of the requests so far. */
  readonly requests: string[];
}

/** Plays a scene. */
export function scene(play: (scene: Scene) => Promise<void>): Promise<void> {
  return withCluster({}, async (cluster) => {
    using real = openKubernetes(await adminAccess(cluster));
    const requests: string[] = [];
    const kubernetes: Kubernetes = {
      ...real,
      request(path, options) {
        requests.push(options.method ?? "GET");
        return real.request(path, options);
      },
    };
    let isAway = false;
    const connect = () =>
      isAway
        ? Promise.reject(new OsctlError("no answer"))
        : Promise.resolve(kubernetes);
    const clock = manualClock();
    const made: ClusterLock[] = [];
    const run = (id: string, more: Partial<ClusterLockOptions> = {}): Run => {
      const records: Details[] = [];
      const notes: string[] = [];
      const hold = new ClusterLock({
        kubernetes: connect,
        run: id,
        operator: `${id}@desk`,
        process: `${made.length + 1} noon word${made.length + 1}`,
        clock,
        needed: false,
        record: (details) => Promise.resolve(void records.push(details)),
        note: (text) => notes.push(text),
        ...more,
      });
      made.push(hold);
      return { hold, records, notes };
    };
    const lease = async () => {
      const { signal } = new AbortController();
      const found = await readLease(real, signal);
      if (found === undefined) return undefined;
      const { version: _, ...rest } = found;
      return rest;
    };
    const away = (now: boolean) => void (isAway = now);
    await play({ cluster, kubernetes, clock, run, lease, away, requests });
    // Ends what renews.
    isAway = true;
    for (const hold of made) await hold.release(false);
  });
}

/** A process that died: it renews nothing. */
export const dead = ({ clock }: Scene) => ({
  clock: { now: clock.now, sleep: () => new Promise<void>(() => {}) },
});

/** Lets time pass whenever a process sleeps; what others do meanwhile comes first. */
export function sleeper(
  { clock }: Scene,
  { skewMs = 0, meanwhile = () => Promise.resolve<unknown>(undefined) } = {},
) {
  const slept: number[] = [];
  return {
    slept,
    clock: {
      now: () => clock.now() + skewMs,
      async sleep(ms: number) {
        // Renewals beside the test do not count.
        if (ms === 15_000) return await new Promise<void>(() => {});
        slept.push(ms);
        await clock.advance(ms);
        await meanwhile();
      },
    },
  };
}
