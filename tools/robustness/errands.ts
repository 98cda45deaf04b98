/** Operations run during attacks. */

import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import { mark, type Wish } from "./history.ts";
import { type Lab, loseQuorum } from "./lab.ts";

/** One kind of operation. */
export interface Errand {
  /** Name, as in the page. */
  readonly name: string;
  /** The cluster; default three control planes and a worker. */
  readonly cluster?: ClusterOptions;
  readonly call: string;
  /** Answers to the approvals of a runbook; absent for a single operation. */
  readonly approve?: readonly string[];
  /** True when only its own attacks use it. */
  readonly isSpecial?: true;
  /** True when the node is off afterwards: without seeing it begin, the reason is unknown. */
  readonly hides?: true;
  /** Prepares it. Returns its arguments and limits. */
  readonly prepare: (
    lab: Lab,
  ) => Promise<Omit<Wish, "line"> & { readonly words: readonly string[] }>;
}

const usual: ClusterOptions = { controlplanes: 3, workers: 1 };

/** Name and address of a node by index, or of a random one. */
function pick({ cluster: { nodes }, random }: Lab, index?: number) {
  const node = nodes.at(index ?? random(nodes.length));
  if (node === undefined) throw new RangeError(`No node ${index}`);
  const { hostname, address } = node.origin;
  return { nodes: [hostname], address };
}

/** An operation on one node. */
function onNode(
  line: string,
  { index, ...may }: Pick<Wish, "limits" | "goal"> & {
    readonly index?: number;
  },
): Errand["prepare"] {
  return (lab) => {
    const { nodes, address } = pick(lab, index);
    const words = [...line.split(" "), "--nodes", address];
    words.push("--timeout", "100s", "--output", "jsonl");
    return Promise.resolve({ ...may, words, nodes });
  };
}

/** A runbook for all nodes. */
function runbook(
  { cluster }: Lab,
  words: readonly string[],
  may: Pick<Wish, "limits" | "goal">,
) {
  const nodes = cluster.nodes.map(({ origin }) => origin.hostname);
  return { ...may, nodes, words: ["runbook", "run", ...words] };
}

const destroy = (...tags: readonly string[]) => [
  "--yes",
  ...tags.map((tag) => `--yes-destructive=${tag}:simulated`),
];

/** Restarts control planes one by one, and retries those not begun. */
const restarts = `apiVersion: osctl/v1
kind: Runbook
name: restart-nodes
title: Restart control planes
groups:
  all: { role: controlplane, order: [etcdLeaderLast, name] }
steps:
  - id: go
    approve: { tag: go, message: "Now?" }
  - id: nodes
    forEach: { nodes: all, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: handover, run: etcd.forfeitLeadership }
      - id: restart
        run: node.reboot
        timeout: 100s
        retry: { attempts: 3, on: [unavailable, not-started] }
      - { id: ready, gate: [{ check: node.ready }, { check: etcd.quorum }], within: 1m }
    always:
      - { id: uncordon, run: node.uncordon }
`;

/** Operations by name. */
export const errands: readonly Errand[] = [
  {
    name: "reboot",
    call: "Reboot",
    prepare: onNode("reboot", {
      limits: { boots: 1, sequences: 1 },
      goal: { booted: true },
    }),
  },
  {
    name: "reset",
    call: "Reset",
    hides: true,
    prepare: onNode("reset --yes", {
      index: -1,
      limits: { wipes: 1, sequences: 1 },
      goal: { wiped: true, off: true },
    }),
  },
  {
    name: "reset with a reboot",
    call: "Reset",
    prepare: onNode("reset --yes --reboot", {
      limits: { boots: 1, wipes: 1, sequences: 1 },
      goal: { booted: true, wiped: true },
    }),
  },
  {
    name: "shutdown",
    call: "Shutdown",
    hides: true,
    prepare: onNode("shutdown --yes", {
      limits: { sequences: 1 },
      goal: { off: true },
    }),
  },
  {
    name: "upgrade",
    call: "Upgrade",
    cluster: { ...usual, workers: 2, release: { tag: "v1.13.0" } },
    prepare: onNode("upgrade --to v1.13.1", {
      limits: { boots: 1, installs: 1, sequences: 1 },
      goal: { booted: true, version: "v1.13.1" },
    }),
  },
  {
    name: "upgrade in one call",
    call: "Upgrade",
    cluster: { ...usual, release: { tag: "v1.12.1" } },
    prepare: onNode("upgrade --to v1.12.2", {
      limits: { boots: 1, installs: 1, sequences: 1 },
      goal: { booted: true, version: "v1.12.2" },
    }),
  },
  {
    name: "etcd leave",
    call: "EtcdLeaveCluster",
    prepare: onNode("etcd leave --yes", {
      index: 2,
      limits: { wipes: 1 },
      goal: { member: false },
    }),
  },
  {
    name: "restart-nodes",
    call: "Reboot",
    cluster: { controlplanes: 3, workers: 0 },
    approve: destroy(),
    async prepare(lab) {
      const path = `${lab.folder()}/restart.runbook.yaml`;
      await Deno.mkdir(lab.folder(), { recursive: true });
      await Deno.writeTextFile(path, restarts);
      return runbook(lab, [path], {
        limits: { boots: 1, sequences: 1 },
        goal: { booted: true },
      });
    },
  },
  {
    name: "rolling-upgrade",
    call: "Upgrade",
    cluster: { ...usual, release: { tag: "v1.12.1" } },
    approve: destroy(),
    prepare: (lab) =>
      Promise.resolve(runbook(lab, [
        "builtin:rolling-upgrade",
        "--input=version=v1.12.2",
        "--input=soak=1s",
      ], {
        limits: { boots: 1, installs: 1, sequences: 1 },
        goal: { booted: true, version: "v1.12.2" },
      })),
  },
  {
    name: "etcd-recovery",
    call: "Reset",
    // Nodes are unavailable long enough for a resume to see it.
    cluster: { ...usual, workers: 0, pace: { stopMs: 200, downMs: 5_000 } },
    approve: destroy("destroy"),
    async prepare(lab) {
      await loseQuorum(lab);
      return runbook(lab, [
        "builtin:etcd-recovery",
        "--input=cluster=simulated",
      ], {
        limits: { boots: 1, wipes: 1, sequences: 1 },
        goal: { booted: true, wiped: true, member: true },
      });
    },
  },
  {
    name: "rotate-ca",
    call: "ApplyConfiguration",
    cluster: { controlplanes: 1, workers: 1 },
    approve: destroy("drop", "commit-kubernetes", "drop-kubernetes"),
    prepare(lab) {
      const home = lab.folder();
      for (const name of ["new", "new.bak", "secrets.yaml"]) {
        lab.disclosed.add(name);
      }
      return Promise.resolve(runbook(lab, [
        "builtin:rotate-ca",
        "--input=kubernetes=true",
        `--input=osconfig=${home}/new`,
        `--input=secretsOut=${home}/secrets.yaml`,
      ], { limits: {}, goal: { rotated: true } }));
    },
  },
  {
    name: "config-rollout",
    call: "ApplyConfiguration",
    approve: destroy(),
    async prepare(lab) {
      const secret = crypto.randomUUID();
      lab.secrets.push(secret);
      lab.disclosed.add("patch.yaml");
      const path = `${lab.folder()}/patch.yaml`;
      const config = `{${mark}.example: {auth: {password: ${secret}}}}`;
      await Deno.mkdir(lab.folder(), { recursive: true });
      await Deno.writeTextFile(
        path,
        `machine: {registries: {config: ${config}}}\n`,
      );
      return runbook(lab, [
        "builtin:config-rollout",
        `--input=patch=${path}`,
        "--input=soak=1s",
      ], { limits: {}, goal: { marked: true } });
    },
  },
  {
    name: "image cache",
    call: "",
    cluster: { controlplanes: 1 },
    isSpecial: true,
    prepare(lab) {
      const { nodes } = pick(lab, 0);
      const goal = { impossible: true } as const;
      return Promise.resolve({ nodes, limits: {}, goal, words: ["image"] });
    },
  },
];

/** Cluster of an errand. */
export function chooseCluster({ cluster = usual }: Errand): ClusterOptions {
  return cluster;
}
