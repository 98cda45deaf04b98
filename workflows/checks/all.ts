/** All checks for use in gates. */

import * as ca from "./ca.ts";
import type { Check } from "./check.ts";
import { clusterHealth } from "./cluster_health.ts";
import * as etcd from "./etcd.ts";
import * as kubernetes from "./kubernetes.ts";
import * as kubernetesUpgrade from "./kubernetes_upgrade.ts";
import * as nodes from "./nodes.ts";
import * as upgrade from "./upgrade.ts";

/** Checks by name. */
export const checks: ReadonlyMap<string, Check> = new Map(
  [
    clusterHealth,
    etcd.etcdQuorum,
    etcd.etcdNoAlarms,
    etcd.etcdMemberHealthy,
    etcd.etcdMembersEqualControlPlane,
    etcd.etcdNoMembersAnywhere,
    etcd.etcdServicePreparing,
    nodes.nodeReady,
    nodes.nodeServices,
    nodes.nodeKubeletHealthy,
    kubernetes.k8sNodeReady,
    kubernetes.k8sApiReachable,
    kubernetes.k8sObject,
    kubernetesUpgrade.k8sUpgradePath,
    kubernetesUpgrade.k8sNothingRemoved,
    kubernetesUpgrade.k8sComponentUpdated,
    nodes.nodesVersion,
    nodes.nodesAllReachable,
    nodes.nodesTimeInSync,
    nodes.nodesMembershipUnchanged,
    nodes.nodesNoInitType,
    upgrade.upgradePath,
    upgrade.upgradeImageIdentity,
    upgrade.upgradeKernelArgsKept,
    ca.caAllServe,
    ca.caNoRotationInProgress,
  ].map((check) => [check.name, check]),
);
