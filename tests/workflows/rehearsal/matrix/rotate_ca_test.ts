import { throughMatrices } from "./_matrices.ts";

throughMatrices({
  name: "rotate-ca of the node API",
  runbook: "builtin:rotate-ca",
  inputs: [],
  cluster: "3cp+1w",
  faults: [],
});
