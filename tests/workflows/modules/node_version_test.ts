import assert from "node:assert/strict";
import { imageFactory } from "../../../talos.ts";
import type { Module, StepContext } from "../../../workflows/modules/module.ts";
import {
  nodeSystem,
  nodeVerifyVersion,
} from "../../../workflows/modules/node_version.ts";
import { fakeNodes } from "../../_fake.ts";
import { untilResult } from "../operations/_kubernetes_context.ts";
import { systemHandlers } from "../operations/_system.ts";

const own = "a".repeat(64);
const other = "b".repeat(64);

async function read(
  module: Module,
  input: Parameters<(typeof nodeSystem & { kind: "read" })["read"]>[1],
  installImage = `${imageFactory}/metal-installer/${own}:v1.12.4`,
  extraInfo = "customization: {extraKernelArgs: [quiet]}",
) {
  assert.ok(module.kind === "read");
  const handlers = systemHandlers(() => ({
    version: "v1.13.1",
    schematic: own,
    installImage,
    extraInfo,
  }));
  const boot = {
    async *read() {
      yield await Promise.resolve({ bytes: new TextEncoder().encode("b-1\n") });
    },
  };
  const node = { ...handlers, ...boot };
  const client = await fakeNodes({ n: node }).nodes.at("n");
  const { signal } = new AbortController();
  // Nothing else is checked.
  const context = { node: "n", client, signal } as StepContext;
  return await untilResult(module.read(context, input));
}

Deno.test("node.verifyVersion says that the node has gone back", async () => {
  const wrong: readonly [Readonly<Record<string, string>>, string][] = [
    [{ version: "v1.13.2" }, "the node runs v1.13.1, not v1.13.2"],
    [
      { version: "v1.13.1", before: other },
      "the node runs the schematic aaaaaaaaaaaa…, not the schematic bbbbbbbbbbbb…",
    ],
    [
      {
        version: "v1.13.1",
        image: `${imageFactory}/metal-installer/${other}`,
        before: own,
      },
      "the node runs the schematic aaaaaaaaaaaa…, not the schematic bbbbbbbbbbbb…",
    ],
  ];
  for (const [input, reason] of wrong) {
    await assert.rejects(() => read(nodeVerifyVersion, input), {
      name: "OutcomeError",
      outcome: "rolled-back",
      message: `rolled-back: ${reason}`,
    });
  }
});
