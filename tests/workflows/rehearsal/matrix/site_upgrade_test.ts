import { throughSiteMatrices } from "./_site.ts";

await throughSiteMatrices({
  name: "site apply with upgrades, a changed configuration and a new node",
  controlPlanes: 1,
  workers: 1,
  waiting: [1],
  before: { os: "v1.12.11", kubernetes: "1.34.1" },
  after: {
    os: "v1.12.12",
    kubernetes: "1.34.2",
    files: { "all/env.yaml": "machine: {env: {A: b}}\n" },
  },
  reboots: [2, 1],
});
