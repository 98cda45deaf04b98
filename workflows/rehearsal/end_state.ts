/** How a cluster is in the end, without what differs from run to run. */

import type { SeenCluster, SeenNode } from "./invariants/evidence.ts";

/**
 * Says how a cluster is: the same text for clusters that are the same but for names of certificates.
 *
 * @returns One line for each node.
 */
export function endState({ nodes }: SeenCluster): readonly string[] {
  const known = new Map<string, string>();
  // New authorities differ with every run, and who has the same does not.
  const named = (fingerprint: string) => {
    if (fingerprint === "") return "-";
    const name = known.get(fingerprint) ?? `ca${known.size + 1}`;
    known.set(fingerprint, name);
    return name;
  };
  return nodes.filter(({ isPart }) => isPart).map((node) =>
    lineOf(node, named)
  );
}

function lineOf(
  { name, version, nextVersion, isReady, isCordoned, trust, etcd }: SeenNode,
  named: (fingerprint: string) => string,
): string {
  const { issuer, accepted, kubernetesIssuer, kubernetesAccepted } = trust;
  const os = [issuer, ...accepted].map(named);
  const kubernetes = [kubernetesIssuer, ...kubernetesAccepted].map(named);
  return [
    name,
    `runs ${version}`,
    `starts ${nextVersion}`,
    isReady ? "ready" : "not ready",
    isCordoned ? "cordoned" : "open",
    `trusts ${os.join("+")}`,
    `in Kubernetes ${kubernetes.join("+")}`,
    etcd.isRunning
      ? `etcd with ${etcd.members.toSorted().join("+")}`
      : "no etcd",
  ].join(", ");
}

/**
 * Tells how two clusters differ.
 *
 * @returns One line for each node that differs.
 */
export function differences(
  expected: readonly string[],
  found: readonly string[],
): readonly string[] {
  const wanted = new Set(expected);
  const there = new Set(found);
  return [
    ...found.filter((line) => !wanted.has(line)).map((line) =>
      `actual: ${line}`
    ),
    ...expected.filter((line) => !there.has(line))
      .map((line) => `expected: ${line}`),
  ];
}
