/** All conditions of a healthy cluster, in the order they are waited for. */

import {
  etcdConsistent,
  etcdHealthy,
  etcdOnControlPlanes,
} from "./etcd_checks.ts";
import type { HealthCheck } from "./health_check.ts";
import {
  nodesReady,
  nodesReported,
  nodesSchedulable,
  staticPodsRunning,
} from "./kubernetes_checks.ts";
import {
  apidReady,
  kubeletHealthy,
  nodesBooted,
  noDiagnostics,
} from "./node_checks.ts";
import {
  controlPlaneReady,
  corednsReady,
  kubeProxyReady,
} from "./pod_checks.ts";
import { diskSizes, memorySizes } from "./size_checks.ts";

/** The conditions; each makes sense only when those before it hold. */
export const healthChecks: readonly HealthCheck[] = [
  etcdHealthy,
  etcdConsistent,
  etcdOnControlPlanes,
  apidReady,
  memorySizes,
  diskSizes,
  noDiagnostics,
  kubeletHealthy,
  nodesBooted,
  nodesReported,
  staticPodsRunning,
  controlPlaneReady,
  nodesReady,
  kubeProxyReady,
  corednsReady,
  nodesSchedulable,
];
