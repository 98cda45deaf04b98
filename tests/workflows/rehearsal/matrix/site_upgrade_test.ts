import { throughSiteMatrices } from "./_site.ts";

await throughSiteMatrices({
  name: "site apply with upgrades, a changed configuration and a new node",
  controlPlanes: 1,
  workers: 2,
  waiting: [2],
  before: { os: "v1.12.11", kubernetes: "1.34.1" },
  after: {
    os: "v1.12.12",
    kubernetes: "1.34.2",
    files: { "worker/env.yaml": "machine: {env: {A: b}}\n" },
  },
  reboots: [1, 2, 1],
});
