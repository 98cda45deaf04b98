/** Evidence of a run without faults, for tests to change. */

import type {
  Evidence,
  SeenCluster,
  SeenNode,
} from "../../../workflows/rehearsal/invariants/evidence.ts";
import type { RunReport } from "../../../workflows/runbooks/event.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import { type NewRecord, wholeRead } from "../runbooks/_records.ts";

/** A node that is well. */
export function node(name: string, more: Partial<SeenNode> = {}): SeenNode {
  const isControlPlane = name.startsWith("cp");
  return {
    name,
    role: isControlPlane ? "controlplane" : "worker",
    address: `10.0.0.${name}`,
    isPart: true,
    isReady: true,
    reboots: 0,
    version: "v1",
    slots: ["v1"],
    nextVersion: "v1",
    isCordoned: false,
    trust: {
      issuer: "a1",
      accepted: ["a1"],
      kubernetesIssuer: isControlPlane ? "k1" : "",
      kubernetesAccepted: ["k1"],
    },
    etcd: {
      isRunning: isControlPlane,
      members: isControlPlane ? ["cp-1", "cp-2", "cp-3"] : [],
      hasData: isControlPlane,
    },
    ...more,
  };
}

/** Nodes of a cluster that is well. */
export const nodes: readonly SeenNode[] = ["cp-1", "cp-2", "cp-3", "w-1"]
  .map((name) => node(name));

/** Start of the run, in milliseconds since 1970: 2026-03-01T12:00:00Z. */
export const startedAt = 1_772_366_400_000;

/** A cluster that is well. */
export function cluster(more: Partial<SeenCluster> = {}): SeenCluster {
  const well = { at: startedAt, hasQuorum: true, clusters: 1, down: [] };
  return {
    at: startedAt,
    nodes,
    quorum: [well],
    dataLost: 0,
    calls: [],
    ...more,
  };
}

/** Records of a journal. */
export function records(
  ...all: readonly NewRecord[]
): Evidence["records"] {
  return all.map((one, index) =>
    wholeRead({
      seq: index + 1,
      ts: new Date(startedAt).toISOString(),
      previous: "00000000",
      ...one,
    })
  );
}

/** A report of a run that succeeded. */
export function report(more: Partial<RunReport> = {}): RunReport {
  const at = new Date(startedAt).toISOString();
  return {
    run: "rehearsal",
    runbook: "upgrade",
    cluster: "demo",
    state: "succeeded",
    status: 0,
    startedAt: at,
    endedAt: at,
    targets: [],
    skipped: [],
    residue: [],
    artifacts: [],
    outputs: {},
    ...more,
  };
}

export function evidence(more: Partial<Evidence> = {}): Evidence {
  return {
    // Nothing else of it is checked.
    runbook: { policy: { allow: [] } } as unknown as Runbook,
    before: cluster(),
    between: [],
    after: cluster(),
    records: records({ type: "run.end", data: { state: "succeeded" } }),
    journalText: "",
    events: [],
    report: report(),
    secrets: [],
    files: [],
    injected: [],
    shutOut: undefined,
    callsAfterEnd: [],
    ...more,
  };
}

/** A runbook that overrides rules. */
export function overriding(...rules: readonly string[]): Runbook {
  const allow = rules.map((rule) => ({ rule, reason: "" }));
  return { policy: { allow } } as unknown as Runbook;
}
