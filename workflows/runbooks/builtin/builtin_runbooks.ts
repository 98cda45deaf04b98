import certificateRenewal from "./certificate-renewal.runbook.yaml" with {
  type: "text",
};
import clusterReboot from "./cluster-reboot.runbook.yaml" with { type: "text" };
import configRollout from "./config-rollout.runbook.yaml" with { type: "text" };
import etcdRecovery from "./etcd-recovery.runbook.yaml" with { type: "text" };
import nodeReboot from "./node-reboot.runbook.yaml" with { type: "text" };
import nodeUpgrade from "./node-upgrade.runbook.yaml" with { type: "text" };
import replaceControlplane from "./replace-controlplane.runbook.yaml" with {
  type: "text",
};
import rollingUpgrade from "./rolling-upgrade.runbook.yaml" with {
  type: "text",
};
import rotateCa from "./rotate-ca.runbook.yaml" with { type: "text" };
import rotateKubernetesCa from "./rotate-kubernetes-ca.runbook.yaml" with {
  type: "text",
};
import upgradeKubernetes from "./upgrade-kubernetes.runbook.yaml" with {
  type: "text",
};

const texts: ReadonlyMap<string, string> = new Map([
  ["certificate-renewal", certificateRenewal],
  ["cluster-reboot", clusterReboot],
  ["config-rollout", configRollout],
  ["etcd-recovery", etcdRecovery],
  ["node-reboot", nodeReboot],
  ["node-upgrade", nodeUpgrade],
  ["replace-controlplane", replaceControlplane],
  ["rolling-upgrade", rollingUpgrade],
  ["rotate-ca", rotateCa],
  ["rotate-kubernetes-ca", rotateKubernetesCa],
  ["upgrade-kubernetes", upgradeKubernetes],
]);

/** Names of all of them, in the order of the alphabet. */
export const builtinNames: readonly string[] = [...texts.keys()].sort();

/** The text of one. `name`: name without `builtin:`. Returns `undefined` when there is none of that name. */
export function builtinText(name: string): string | undefined {
  return texts.get(name);
}
