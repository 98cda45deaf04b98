/** All checks gates may name. */

import { caAllServe } from "./ca_all_serve.ts";
import { caNoRotationInProgress } from "./ca_no_rotation_in_progress.ts";
import type { Check } from "./check.ts";
import { clusterHealth } from "./cluster_health.ts";
import { etcdMemberHealthy } from "./etcd_member_healthy.ts";
import { etcdMembersEqualControlPlane } from "./etcd_members_equal_control_plane.ts";
import { etcdNoAlarms } from "./etcd_no_alarms.ts";
import { etcdNoMembersAnywhere } from "./etcd_no_members_anywhere.ts";
import { etcdQuorum } from "./etcd_quorum.ts";
import { etcdServicePreparing } from "./etcd_service_preparing.ts";
import { k8sApiReachable } from "./k8s_api_reachable.ts";
import { k8sNodeReady } from "./k8s_node_ready.ts";
import { k8sObject } from "./k8s_object.ts";
import { nodeKubeletHealthy } from "./node_kubelet_healthy.ts";
import { nodeReady } from "./node_ready.ts";
import { nodeServices } from "./node_services.ts";
import { nodesAllReachable } from "./nodes_all_reachable.ts";
import { nodesMembershipUnchanged } from "./nodes_membership_unchanged.ts";
import { nodesNoInitType } from "./nodes_no_init_type.ts";
import { nodesTimeInSync } from "./nodes_time_in_sync.ts";
import { nodesVersion } from "./nodes_version.ts";
import { upgradeImageIdentity } from "./upgrade_image_identity.ts";
import { upgradeKernelArgsKept } from "./upgrade_kernel_args_kept.ts";
import { upgradePath } from "./upgrade_path.ts";

/** Checks by name. */
export const checks: ReadonlyMap<string, Check> = new Map(
  [
    clusterHealth,
    etcdQuorum,
    etcdNoAlarms,
    etcdMemberHealthy,
    etcdMembersEqualControlPlane,
    etcdNoMembersAnywhere,
    etcdServicePreparing,
    nodeReady,
    nodeServices,
    nodeKubeletHealthy,
    k8sNodeReady,
    k8sApiReachable,
    k8sObject,
    nodesVersion,
    nodesAllReachable,
    nodesTimeInSync,
    nodesMembershipUnchanged,
    nodesNoInitType,
    upgradePath,
    upgradeImageIdentity,
    upgradeKernelArgsKept,
    caAllServe,
    caNoRotationInProgress,
  ].map((check) => [check.name, check]),
);
