import { throughMatrices } from "./_matrices.ts";

throughMatrices({
  name: "etcd-recovery",
  runbook: "builtin:etcd-recovery",
  inputs: ["cluster=demo"],
  cluster: "3cp+1w",
  faults: ["etcd/cp-2: unhealthy", "etcd/cp-3: unhealthy"],
});
