import assert from "node:assert/strict";
import { readFacts } from "../../../workflows/configuration/facts.ts";
import { type FakeNode, fakeNodes, RpcError } from "../../_fake.ts";

async function takeFacts(node: FakeNode, maintenance = false) {
  const { nodes } = fakeNodes({ a: node });
  return await readFacts(await nodes.at("a"), { maintenance });
}

/** Resources by the first word of their type. */
function resources(specs: Readonly<Record<string, string>>): FakeNode {
  return {
    get({ type }: { type: string }) {
      const yamlSpec = specs[type.split(".")[0] ?? ""];
      if (yamlSpec === undefined) throw new RpcError("NOT_FOUND", type);
      return { resource: { spec: { yamlSpec } } };
    },
  };
}

const version = () => ({ messages: [{ version: { tag: "v1.11.4" } }] });

Deno.test("readFacts reads configuration, version and platform", async () => {
  const facts = await takeFacts({
    ...resources({
      MachineConfigs: "machine:\n    type: worker\n",
      PlatformMetadatas: "platform: aws\n",
    }),
    version,
  });
  assert.deepEqual(
    [facts.node, facts.live?.text, facts.version, facts.platform],
    ["a", "machine:\n    type: worker\n", "1.11", "cloud"],
  );
  assert.equal(facts.live?.documents.length, 1);
});

Deno.test("readFacts knows machines that need not be told where to install", async () => {
  const on = async (platform: string, maintenance = false) => {
    const specs = {
      MachineConfigs: "machine: {}\n",
      PlatformMetadatas: `platform: ${platform}\n`,
      Versions: "version: v1.12.1\n",
    };
    const facts = await takeFacts(
      { ...resources(specs), version },
      maintenance,
    );
    return facts.platform;
  };
  assert.equal(await on("metal"), "metal-agent");
  assert.equal(await on("metal", true), "metal");
  assert.equal(await on("container"), "container");
  assert.equal(await on("nocloud"), "cloud");
  assert.equal(await on('""'), undefined);
});

Deno.test("readFacts of a node without a configuration asks what anybody may", async () => {
  const facts = await takeFacts(
    resources({ Versions: "version: v1.12.1\n" }),
    true,
  );
  assert.deepEqual(facts, {
    node: "a",
    live: undefined,
    version: "1.12",
    platform: undefined,
  });
});

Deno.test("readFacts fails when the node does not answer", async () => {
  const gone = () => {
    throw new RpcError("UNAVAILABLE", "connection refused");
  };
  await assert.rejects(takeFacts({ get: gone, version: gone }), RpcError);
});
