import assert from "node:assert/strict";
import { yamlSpecAnnotation } from "../../../talos.ts";
import { Resource } from "../../../transport/gen/cosi_resource.ts";
import {
  machineConfigurationType,
  readMachineConfiguration,
  renderMachineConfiguration,
} from "../../../transport/node/machine_configuration.ts";
import { fakeNodes } from "../../_fake.ts";

const text = "machine:\n    type: worker\n";

function resource(
  yamlSpec: string,
  annotations: Readonly<Record<string, string>> = {},
): Resource {
  return Resource.fromPartial({
    metadata: { annotations },
    spec: { yamlSpec },
  });
}

const wrapped = resource(JSON.stringify(text), { [yamlSpecAnnotation]: "1" });

Deno.test("renderMachineConfiguration takes the text of old nodes as it is", () => {
  assert.equal(renderMachineConfiguration(resource(text)), text);
});

Deno.test("renderMachineConfiguration unwraps the text of newer nodes", () => {
  assert.equal(renderMachineConfiguration(wrapped), text);
});

Deno.test("renderMachineConfiguration of a resource without a spec is empty", () => {
  assert.equal(renderMachineConfiguration(Resource.fromPartial({})), "");
});

Deno.test("readMachineConfiguration asks for the configuration a node runs with", async () => {
  const asked: unknown[] = [];
  const { nodes } = fakeNodes({
    a: {
      get(request) {
        asked.push([request.namespace, request.type, request.id]);
        return { resource: wrapped };
      },
    },
    b: { get: () => ({}) },
  });
  const texts = new Map<string, string>();
  for await (const { node, value } of nodes.call(readMachineConfiguration)) {
    texts.set(node, value);
  }
  assert.deepEqual(texts, new Map([["a", text], ["b", ""]]));
  assert.deepEqual(asked, [["config", machineConfigurationType, "v1alpha1"]]);
});
