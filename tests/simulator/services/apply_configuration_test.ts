import assert from "node:assert/strict";
import { applyConfiguration } from "../../../simulator/services/apply_configuration.ts";
import { machineConfig } from "../../../simulator/machine_config.ts";
import { ApplyConfigurationRequest_Mode as Mode } from "../../../transport/gen/machine.ts";
import { madeNodes } from "../_node.ts";

const call = { roles: new Set(["os:admin"]), signal: AbortSignal.any([]) };

async function apply(text: string, release?: string) {
  const [node] = await madeNodes({
    unconfigured: () => true,
    ...(release === undefined ? {} : { release: { tag: release } }),
  });
  assert.ok(node);
  const request = {
    data: new TextEncoder().encode(text),
    mode: Mode.AUTO,
    dryRun: true,
    tryModeTimeout: undefined,
  };
  return await applyConfiguration.applyConfiguration?.(request, {
    node,
    ...call,
  });
}

async function refusal(text: string, release?: string) {
  return await apply(text, release).then(
    () => assert.fail("it was accepted"),
    (error) => [error.code, error.message],
  );
}

Deno.test("ApplyConfiguration refuses what is no configuration", async () => {
  assert.deepEqual(await refusal(""), [
    "UNKNOWN",
    "failed to parse config: config not found",
  ]);
  assert.deepEqual(await refusal("a: [\n"), [
    "UNKNOWN",
    'failed to parse config: Cannot read "config.yaml" at line 2, column 1: deficient indentation',
  ]);
  assert.deepEqual(await refusal("machine: {x: 1}\n"), [
    "UNKNOWN",
    'failed to parse config: line 1: v1alpha1: machine.x: There is no key "x" here',
  ]);
});

Deno.test("ApplyConfiguration refuses keys that the release does not know", async () => {
  const [node] = await madeNodes();
  const text = machineConfig(node!);
  const [code, message] = await refusal(text, "v1.9.3");
  assert.equal(code, "INVALID_ARGUMENT");
  assert.match(
    message,
    /machine\.install\.grubUseUKICmdline: Version 1\.9 does not know this key/,
  );
  assert.match(message, /HostnameConfig: kind: Version 1\.9 does not know/);
});

Deno.test("ApplyConfiguration passes warnings on", async () => {
  const [node] = await madeNodes();
  const text = machineConfig(node!).replace("type: controlplane", "type: join")
    .replace(/^ {8}key: .*$/gm, '        key: ""')
    .replace(/^ {4}etcd:\n(?: {8}.*\n)+/m, "");
  assert.deepEqual(await apply(text), {
    messages: [{
      warnings: [
        'line 5: v1alpha1: machine.type: Machine type "join" is an old word',
      ],
      modeDetails: `Dry run summary:
Node is running in maintenance mode and does not have a config yet.`,
    }],
  });
});
