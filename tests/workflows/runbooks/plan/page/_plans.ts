/** Plans that tests draw. */

import type {
  Plan,
  PlanStage,
  Preview,
  StageHead,
  Stages,
} from "../../../../../workflows/runbooks/plan/plan.ts";

export function head(path: string, rest: Partial<StageHead> = {}): StageHead {
  return {
    path,
    id: path.slice(path.lastIndexOf("/") + 1),
    happens: "yes",
    onFailure: "fail",
    pointOfNoReturn: false,
    ...rest,
  };
}

/** A plan in which nothing is done. */
export const emptyPlan: Plan = {
  v: 1,
  runbook: "rolling-upgrade",
  ir: "0".repeat(64),
  title: "Upgrade every node, one safe disruption at a time",
  cluster: { id: "c1", name: "prod" },
  madeAt: "2026-11-20T19:30:00Z",
  inputs: {},
  groups: [],
  stages: [],
  rescue: [],
  always: [],
  refusals: [],
  safety: [],
  unknowns: [],
  joined: [],
  left: [],
  facts: {},
};

function change(node: string, action: string): Preview {
  return { node, outcome: "change", actions: [{ action }] };
}

function run(
  path: string,
  stage: Stages["run"],
  rest: Partial<StageHead> = {},
): PlanStage {
  return { ...head(path, rest), verb: "run", ...stage };
}

export function walk(path: string, nodes: readonly string[]): PlanStage {
  const previews = (action: string) =>
    nodes.map((node) => change(node, action));
  return {
    ...head(`${path}/node`),
    verb: "block",
    runbook: "node-upgrade",
    steps: [
      run(`${path}/node/cordon`, {
        module: "node.cordon",
        effect: "write",
        previews: previews("cordon"),
      }),
      run(`${path}/node/install`, {
        module: "upgrade.install",
        effect: "write",
        previews: previews("install v1.14.1"),
      }, { when: "node.caps.lifecycle", happens: "yes" }),
      run(`${path}/node/restart`, {
        module: "node.reboot",
        effect: "disrupt",
        previews: previews("reboot"),
      }, { pointOfNoReturn: true }),
      {
        ...head(`${path}/node/back`),
        verb: "gate",
        within: "10m",
        holdFor: "2m",
        checks: nodes.map((node) => ({
          check: "node.ready",
          node,
          state: node === "w-2" ? "fails" : "holds",
          ...node === "w-2" ? { reason: "kubelet is not ready" } : {},
        })),
      },
    ],
    rescue: [
      run(`${path}/node/revert`, {
        module: "node.rollback",
        effect: "disrupt",
        previews: [],
      }, { when: `error.step == "back"`, happens: "unknown" }),
    ],
    always: [
      run(`${path}/node/uncordon`, {
        module: "node.uncordon",
        effect: "write",
        previews: [],
      }, { when: "node.ready", happens: "unknown", onFailure: "continue" }),
    ],
  };
}

const [masters, workers] = [
  ["cp-1", "cp-2", "cp-3"],
  ["w-1", "w-2", "w-3", "w-4", "w-5"],
];

/** A plan with something of everything. */
export const fullPlan: Plan = {
  ...emptyPlan,
  inputs: { version: "v1.14.1", workerBatch: 2 },
  groups: [
    { name: "controlplane", nodes: masters, at: "plan" },
    { name: "workers", nodes: workers, at: "entry" },
  ],
  stages: [
    {
      ...head("preflight"),
      verb: "gate",
      within: "5m",
      checks: [
        { check: "cluster.health", state: "holds" },
        {
          check: "etcd.noAlarms",
          state: "fails",
          reason: "NOSPACE on cp-1 <since Monday>",
        },
        { check: "upgrade.path", state: "unknown" },
        { check: "etcd.quorum", state: "skip" },
      ],
    },
    {
      ...head("versions"),
      verb: "assert",
      that: `inputs.version != "v1.14.0"`,
      holds: "yes",
      message: "v1.14.0 is broken",
    },
    { ...head("pick"), verb: "decide", name: "first", value: "cp-1" },
    run("snapshot", {
      module: "etcd.snapshot",
      effect: "read",
      previews: [{ outcome: "read", actions: [], reason: "from cp-1" }],
    }, { title: "Snapshot of etcd" }),
    run("wipe", {
      module: "etcd.reset",
      effect: "destroy",
      previews: [{
        outcome: "change",
        actions: [{ action: "wipe EPHEMERAL", loses: "data of etcd" }],
      }],
    }, { when: "inputs.wipe", happens: "no" }),
    {
      ...head("go"),
      verb: "approve",
      tag: "start",
      message: "Upgrade 8 nodes to v1.14.1",
      destructive: false,
    },
    {
      ...head("controlplane"),
      verb: "forEach",
      group: "controlplane",
      batches: masters.map((node) => [node]),
      ramp: false,
      maxUnavailable: 1,
      maxFailures: 0,
      steps: [walk("controlplane", masters)],
      rescue: [],
      always: [],
    },
    {
      ...head("workers"),
      verb: "forEach",
      group: "workers",
      batches: [["w-1"], ["w-2", "w-3", "w-4", "w-5"]],
      ramp: true,
      maxUnavailable: 2,
      maxFailures: 1,
      steps: [walk("workers", workers)],
      rescue: [],
      always: [],
    },
    { ...head("pause"), verb: "sleep", duration: "30s" },
    {
      ...head("destroy-old"),
      verb: "approve",
      tag: "destroy",
      message: "Forget the old snapshots",
      destructive: true,
      typed: "prod",
    },
  ],
  rescue: [
    run("rescue/evidence", { module: "support", effect: "read", previews: [] }),
  ],
  always: [
    run("always/report", { module: "note", effect: "read", previews: [] }),
  ],
  safety: [
    {
      rule: "S1",
      state: "waits",
      reason: "etcd voter cp-3 is not healthy",
      path: "controlplane/node/restart",
      node: "cp-2",
    },
    { rule: "S3", state: "overridden", reason: "lab cluster" },
  ],
  unknowns: [{
    path: "workers/node/revert",
    what: "when",
    expression: `error.step == "back"`,
    needs: ["workers/node/back"],
  }],
  joined: ["w-6"],
  left: ["w-0"],
};
