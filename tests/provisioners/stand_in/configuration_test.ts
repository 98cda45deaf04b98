import assert from "node:assert/strict";
import { standInConfiguration } from "../../../provisioners/stand_in/configuration.ts";

Deno.test("a stand-in node reads who it is, and who leads its cluster", () => {
  const text = `machine:
  type: worker
  token: abc.def
  kubelet:
    image: example.org/kubelet:v1.33.2
cluster:
  clusterName: lab
  controlPlane:
    endpoint: https://10.5.0.2:6443
`;
  assert.deepEqual(standInConfiguration(text), {
    text,
    cluster: "lab",
    machineType: "worker",
    leader: "10.5.0.2",
    token: "abc.def",
    kubernetes: "1.33.2",
  });
});
