import { throughMatrices } from "./_matrices.ts";

throughMatrices({
  name: "upgrade-kubernetes",
  runbook: "builtin:upgrade-kubernetes",
  inputs: ["version=v1.35.0"],
  cluster: "sim:1cp+1w,v1.13.4",
  // Every kill and every lost call takes long here.
  faults: [
    "node/controlplane-1: static-pod-fails @ apiserver/* for 1m",
    "node/worker-1: kubelet-late 3m",
  ],
});
