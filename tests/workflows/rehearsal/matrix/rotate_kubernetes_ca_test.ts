import { throughMatrices } from "./_matrices.ts";

throughMatrices({
  name: "rotate-ca of Kubernetes",
  runbook: "builtin:rotate-ca",
  inputs: ["os=false", "kubernetes=true"],
  cluster: "3cp+1w",
  faults: [],
});
