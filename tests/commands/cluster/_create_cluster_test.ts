import assert from "node:assert/strict";
import {
  parseKubernetes,
  sayNext,
} from "../../../commands/cluster/_create_cluster.ts";

Deno.test("sayNext names the cluster where it is not the usual one", () => {
  const said: string[] = [];
  sayNext("os-default", { note: (text) => void said.push(text) });
  sayNext("lab", { note: (text) => void said.push(text) });
  assert.deepEqual(said, [
    "hint: Check it with: osctl health",
    "hint: Destroy it with: osctl cluster destroy",
    "hint: Check it with: osctl health",
    "hint: Destroy it with: osctl cluster destroy --name lab",
  ]);
});

Deno.test("parseKubernetes takes versions with and without v, and refuses what the system does not support", () => {
  const hint = "Change it";
  assert.equal(parseKubernetes("v1.34.1", "v1.12.0", hint), "1.34.1");
  assert.equal(parseKubernetes("1.35.0-rc.1", "v1.12.0", hint), "1.35.0-rc.1");
  assert.throws(() => parseKubernetes("1.34", "v1.12.0", hint), {
    message: 'Invalid value "1.34" for --kubernetes-version',
    hint: "Give a version such as 1.34.1",
  });
  assert.throws(() => parseKubernetes("v1.24.0", "v1.12.0", hint), {
    message:
      "Kubernetes v1.24.0 is too old for v1.12.0, which supports v1.30 to v1.35",
    hint,
  });
});
