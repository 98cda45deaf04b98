/** The part of an apply that gives new nodes their configurations, and bootstraps etcd where there is none. */

import type { ComparedNode } from "./compare_site.ts";
import { isControlPlane, type Stage, type Step } from "./rollout.ts";

/** Reports whether a control plane runs etcd. */
export function hasEtcd(nodes: readonly ComparedNode[]): boolean {
  return nodes.some(({ facts }) => facts?.etcd.member);
}

/** Makes the part; empty if no node waits for a configuration and etcd runs. */
export function joinStages(
  nodes: readonly ComparedNode[],
  all: readonly ComparedNode[],
  { fingerprints, isRunning }: {
    readonly fingerprints: ReadonlyMap<string, string>;
    readonly isRunning: boolean;
  },
): readonly Stage[] {
  const planes = nodes.filter(({ row }) => isControlPlane(row));
  const workers = nodes.filter(({ row }) => !isControlPlane(row));
  // Where no etcd runs, the first control plane is bootstrapped, configured now or before.
  const [first] = isRunning
    ? []
    : all.filter(({ row, facts }) =>
      isControlPlane(row) &&
      (facts !== undefined || planes.some((one) => one.row === row))
    );
  if (nodes.length === 0 && first === undefined) return [];
  const healthy = (joined: readonly ComparedNode[]) => ({
    gate: [{
      check: "cluster.health",
      with: { joined: joined.map(({ row }) => row.address) },
    }],
    within: "20m",
  });
  const apply = ({ row }: ComparedNode): Step => ({
    id: `apply-${nodes.findIndex((one) => one.row === row) + 1}`,
    title: `Apply the configuration of ${row.node}`,
    run: "config.initial",
    with: {
      address: row.address,
      configurations: "${{ inputs.configurations }}",
      fingerprint: fingerprints.get(row.address) ?? "",
    },
    retry: { attempts: 5, on: ["unavailable", "not-started"] },
  });
  const names = nodes.map(({ row }) => {
    const seen = fingerprints.get(row.address);
    return seen === undefined ? row.node : `${row.node} (fingerprint ${seen})`;
  }).join(", ");
  const title = nodes.length === 0
    ? "Bootstrap etcd"
    : "Apply their first configurations to new nodes";
  const then = first === undefined || nodes.length === 0
    ? ""
    : `; etcd is bootstrapped on ${first.row.node}`;
  return [{
    line: `${title}: ${names || first?.row.node}${then}`,
    step: {
      id: "new-nodes",
      title,
      block: [
        { id: "go", approve: { tag: "new-nodes", message: `${title}?` } },
        ...planes.flatMap((one, index) =>
          first === undefined
            // etcd takes one new member at a time.
            ? [apply(one), {
              id: `joined-${index + 1}`,
              ...healthy(planes.slice(0, index + 1)),
            }]
            : [apply(one)]
        ),
        ...first === undefined ? [] : [{
          id: "bootstrap",
          title: `Bootstrap etcd on ${first.row.node}`,
          run: "bootstrap",
          with: {
            node: first.row.address,
            controlPlanes: all.filter(({ row }) =>
              isControlPlane(row) && row !== first.row && row.state !== "absent"
            ).map(({ row }) => row.address),
          },
          timeout: "15m",
          retry: { attempts: 5, on: ["not-started"] },
        }],
        ...workers.map(apply),
        {
          id: "final",
          title: "Wait until the cluster is healthy",
          ...healthy(nodes),
        },
      ],
    },
    allow: {},
  }];
}
