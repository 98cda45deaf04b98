import { throughSiteMatrices } from "./_site.ts";

const state = { os: "v1.12.11", kubernetes: "1.34.1" };

await throughSiteMatrices({
  name: "site apply with new nodes in maintenance mode",
  controlPlanes: 2,
  workers: 2,
  waiting: [1, 3],
  before: state,
  after: state,
  reboots: [0, 1, 0, 1],
});
