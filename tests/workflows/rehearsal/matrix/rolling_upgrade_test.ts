import { throughMatrices } from "./_matrices.ts";

throughMatrices({
  name: "rolling-upgrade",
  runbook: "builtin:rolling-upgrade",
  inputs: ["version=v1.13.6", "soak=2s"],
  cluster: "3cp+2w",
  faults: [],
});
