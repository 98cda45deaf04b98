import { meetAll, old, type Situation, wiping } from "./_fault_cases.ts";
import { pace } from "../_workers.ts";

const halfOfWorkers: Situation["faults"] = [
  [2, "unavailable"],
  [4, "unavailable"],
];

meetAll([
  {
    name: "half of the workers unreachable",
    cluster: { ...old, workers: 4 },
    faults: halfOfWorkers,
    nodes: [1, 2, 3, 4],
    trials: [
      {
        line: "upgrade --to v1.12.2",
        status: 3,
        ends: ["done", "failed", "done", "failed"],
        boots: [0, 1, 0, 1, 0],
      },
      {
        line: wiping,
        status: 3,
        ends: ["done", "failed", "done", "failed"],
        boots: [0, 1, 0, 1, 0],
        reported: /^10\.5\.0\.4 +\S+ +worker +\S+ +- +not known: /m,
      },
      {
        line: "apply-config -f FILE",
        status: 3,
        ends: ["done", "UNAVAILABLE", "done", "UNAVAILABLE"],
      },
      {
        line: "apply-config -f FILE --dry-run",
        status: 3,
        ends: ["shown", "UNAVAILABLE", "shown", "UNAVAILABLE"],
      },
      {
        line: "apply-config -f FILE --mode try --timeout 5s",
        status: 3,
        ends: ["done", "UNAVAILABLE", "done", "UNAVAILABLE"],
      },
    ],
  },
  {
    name: "half of the new workers unreachable",
    cluster: { pace, release: { tag: "v1.13.0" }, workers: 4 },
    faults: halfOfWorkers,
    nodes: [1, 2, 3, 4],
    trials: [{
      line: "upgrade --to v1.13.1",
      status: 3,
      ends: ["done", "failed", "done", "failed"],
      boots: [0, 1, 0, 1, 0],
    }],
  },
  {
    name: "half of the control planes unreachable",
    cluster: { ...old, controlplanes: 4 },
    faults: [[1, "unavailable"], [3, "unavailable"]],
    nodes: [0, 1, 2, 3],
    trials: [
      {
        line: "upgrade --to v1.12.2 --timeout 3s --max-unavailable 100%",
        status: 1,
        ends: ["refused", "failed", "refused", "failed"],
        reported: /quorum 3; without this one 1 \(S1; --allow etcd-quorum\)/,
      },
      {
        line: `${wiping} --timeout 3s --max-unavailable 100%`,
        status: 1,
        ends: ["refused", "failed", "refused", "failed"],
        reported:
          /^10\.5\.0\.2: etcd has 4 voters, 2 healthy, quorum 3; without this one 3 voters, 1 healthy, quorum 2$/m,
      },
      {
        line: "apply-config -f FILE",
        status: 3,
        ends: ["done", "UNAVAILABLE", "done", "UNAVAILABLE"],
      },
      {
        line: "etcd members",
        status: 3,
        ends: ["shown", "UNAVAILABLE", "shown", "UNAVAILABLE"],
      },
      {
        line: "etcd status",
        status: 3,
        ends: ["shown", "UNAVAILABLE", "shown", "UNAVAILABLE"],
      },
      {
        line: "etcd alarm disarm",
        status: 3,
        ends: ["unchanged", "failed", "unchanged", "failed"],
      },
      {
        line: "etcd leave --yes --timeout 3s",
        nodes: [0],
        status: 5,
        ends: ["refused"],
        reported: /would have no quorum/,
      },
      { line: "etcd defrag", nodes: [1], status: 1, ends: ["failed"] },
      {
        line: "etcd snapshot SNAPSHOT",
        nodes: [1],
        status: 1,
        reported:
          /Cannot take a snapshot of "10\.5\.0\.3": .*connection refused/,
      },
      {
        line: "etcd snapshot SNAPSHOT",
        nodes: [],
        status: 0,
        ends: ["shown"],
        reported: /^taking the snapshot from 10\.5\.0\.[24]$/m,
      },
    ],
  },
  {
    name: "a maintenance API that answers before the system",
    cluster: { ...old, workers: 1 },
    faults: [[1, "maintenance-before-boot", { ms: 1_500 }]],
    nodes: [1],
    trials: [
      {
        line: "upgrade --to v1.12.2",
        status: 0,
        ends: ["done"],
        boots: [0, 1],
      },
      { line: wiping, status: 0, ends: ["done"], boots: [0, 1] },
      {
        line: "apply-config -f FILE --mode reboot",
        status: 0,
        ends: ["done"],
        boots: [0, 1],
      },
    ],
  },
  {
    name: "a maintenance API that answers before the new system",
    cluster: { pace, release: { tag: "v1.13.0" }, workers: 2 },
    faults: [[1, "maintenance-before-boot", { ms: 1_500 }]],
    nodes: [1],
    trials: [{
      line: "upgrade --to v1.13.1",
      status: 0,
      ends: ["done"],
      boots: [0, 1, 0],
    }],
  },
  {
    name: "a node that comes back without its configuration",
    cluster: { ...old, workers: 1 },
    faults: [[1, "returns-unconfigured"]],
    nodes: [1],
    trials: [
      {
        line: "reboot --timeout 4s",
        status: 4,
        ends: ["never-returned"],
        boots: [0, 1],
        unfinished: 1,
      },
      {
        line: "upgrade --to v1.12.2 --timeout 4s",
        status: 4,
        ends: ["never-returned"],
        boots: [0, 1],
        unfinished: 1,
      },
    ],
  },
  {
    name: "an address that leads to another node",
    cluster: { ...old, controlplanes: 3 },
    faults: [[0, "vip-moves"]],
    nodes: [1],
    trials: [
      { line: "reboot", status: 0, ends: ["done"], boots: [0, 1, 0] },
      {
        line: "upgrade --to v1.12.2",
        status: 0,
        ends: ["done"],
        boots: [0, 1, 0],
      },
      { line: wiping, status: 0, ends: ["done"], boots: [0, 1, 0] },
    ],
  },
]);
