import assert from "node:assert/strict";
import { acceptConfiguration } from "../../../simulator/node/accept_configuration.ts";
import { machineConfig } from "../../../simulator/state/machine_config.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { makeNodes } from "../_node.ts";

async function nodeAt(tag?: string): Promise<SimulatedNode> {
  const [node] = await makeNodes(tag === undefined ? {} : { release: { tag } });
  return node!; // there is one
}

Deno.test("acceptConfiguration: refuses other documents", async () => {
  const node = await nodeAt();
  assert.deepEqual(
    ["", "a: [\n", "machine: {x: 1}\n"].map((text) =>
      acceptConfiguration(node, text)
    ),
    [
      { verdict: "unreadable", why: "config not found" },
      {
        verdict: "unreadable",
        why: 'Cannot read "config.yaml" at line 1, column 4: [ is not closed',
      },
      {
        verdict: "unreadable",
        why: 'line 1: v1alpha1: machine.x: Unknown key "x"',
      },
    ],
  );
  const foreign = "apiVersion: v1alpha1\nkind: NoSuchConfig\n";
  assert.deepEqual(acceptConfiguration(node, foreign), {
    verdict: "unreadable",
    why:
      'error decoding document v1alpha1/NoSuchConfig/ (line 1): "NoSuchConfig" "v1alpha1": not registered',
  });
});

Deno.test("kinds that the release does not know cannot be read, keys are not allowed", async () => {
  const text = machineConfig(await nodeAt());
  const old = await nodeAt("v1.9.3");
  const unread = acceptConfiguration(old, text);
  assert.ok("why" in unread);
  assert.equal(unread.verdict, "unreadable");
  assert.match(
    unread.why,
    /^error decoding document v1alpha1\/HostnameConfig\/ \(line \d+\): "HostnameConfig" "v1alpha1": not registered$/,
  );
  const main = text.slice(0, text.indexOf("\n---\n") + 1);
  const acceptance = acceptConfiguration(old, main);
  assert.equal(acceptance.verdict, "invalid");
  assert.ok("why" in acceptance);
  assert.match(acceptance.why, /^1 error occurred:\n\t\* line \d+: /);
  assert.match(
    acceptance.why,
    /machine\.install\.grubUseUKICmdline: Version 1\.9 does not support this key/,
  );
});

Deno.test("versions of Kubernetes that a node does not support are invalid since v1.11", async () => {
  const verdict = async (tag: string, kubernetes: string) => {
    const node = await nodeAt(tag);
    const text = machineConfig(node).replaceAll(
      /(kubelet|apiserver):v\S+/g,
      `$1:v${kubernetes}`,
    );
    const acceptance = acceptConfiguration(node, text);
    return "why" in acceptance ? acceptance.why : acceptance.verdict;
  };
  assert.equal(await verdict("v1.10.9", "1.35.0"), "accepted");
  assert.equal(await verdict("v1.12.11", "1.35.0"), "accepted");
  assert.equal(
    await verdict("v1.12.11", "1.36.0"),
    `2 errors occurred:
\t* kubelet image is not valid: version of Kubernetes 1.36.0 is too new to be used with Talos 1.12.11
\t* kube-apiserver image is not valid: version of Kubernetes 1.36.0 is too new to be used with Talos 1.12.11

`,
  );
  assert.match(await verdict("v1.14.0", "1.31.9"), /1\.31\.9 is too old/);
});
