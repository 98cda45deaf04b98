import { throughSiteMatrices } from "./_site.ts";

const state = { os: "v1.12.11", kubernetes: "1.34.1" };

await throughSiteMatrices({
  name: "site apply that creates a cluster",
  controlPlanes: 3,
  workers: 1,
  waiting: [0, 1, 2, 3],
  before: state,
  after: state,
  reboots: [1, 1, 1, 1],
});
