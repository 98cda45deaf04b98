import { throughMatrices } from "./_matrices.ts";

throughMatrices({
  name: "upgrade-kubernetes",
  runbook: "builtin:upgrade-kubernetes",
  inputs: ["version=v1.35.0"],
  cluster: "sim:1cp+1w,v1.13.4",
  faults: [],
});
