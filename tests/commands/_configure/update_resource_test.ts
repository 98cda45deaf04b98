import assert from "node:assert/strict";
import {
  readResource,
  resourceNamed,
  writeResource,
} from "../../../commands/_configure/update_resource.ts";
import { UsageError } from "../../../errors.ts";
import { Resource } from "../../../transport/gen/cosi_resource.ts";

import { fakeNodes } from "../../_fake.ts";

const inputs = { id: undefined, namespace: undefined, dryRun: false };

/** Nodes that know one type. */
function knowing() {
  return fakeNodes({
    a: {
      async *list() {
        const spec = {
          type: "Things.test",
          displayType: "Thing",
          defaultNamespace: "test",
          aliases: [],
          allAliases: ["thing"],
          printColumns: [],
        };
        yield await Promise.resolve({
          resource: {
            metadata: { id: "things.test" },
            spec: { yamlSpec: JSON.stringify(spec) },
          },
        });
      },
    },
  }).nodes;
}

Deno.test("resourceNamed asks the nodes for other types", async () => {
  assert.deepEqual(
    await resourceNamed(knowing(), { ...inputs, type: "thing", id: "x" }),
    { namespace: "test", type: "Things.test", id: "x" },
  );
  await assert.rejects(
    resourceNamed(knowing(), { ...inputs, type: "thing" }),
    UsageError,
  );
});

const resource = Resource.fromPartial({
  metadata: { id: "x", owner: "me", version: "4" },
  spec: { yamlSpec: "a: 1\n" },
});

Deno.test("writeResource sends version and owner back, so that no other client's change is lost", async () => {
  const sent: unknown[] = [];
  const { nodes } = fakeNodes({
    a: {
      update(request: unknown) {
        sent.push(request);
        return {};
      },
      get: () => ({ resource }),
    },
  });
  const client = await nodes.at("a");
  const name = { namespace: "test", type: "Things.test", id: "x" };
  const read = await readResource(client, name);
  const row = await writeResource(client, read, "a: 2\n", inputs);
  assert.deepEqual(row, {
    node: "a",
    outcome: "done",
    reason: "accepted by the node",
  });
  const [{ newResource, options }] = sent as [
    { newResource: Resource; options: { owner: string } },
  ];
  assert.deepEqual(
    [newResource.metadata?.version, newResource.spec?.yamlSpec, options.owner],
    ["4", "a: 2\n", "me"],
  );
});

Deno.test("writeResource sends nothing when nothing changes, or it is only to be shown", async () => {
  const { nodes } = fakeNodes({ a: {} });
  const client = await nodes.at("a");
  assert.deepEqual(await writeResource(client, resource, "a: 1\n", inputs), {
    node: "a",
    outcome: "unchanged",
    reason: "no change",
  });
  const dryRun = { ...inputs, dryRun: true };
  assert.deepEqual(await writeResource(client, resource, "a: 2\n", dryRun), {
    node: "a",
    diff:
      "@@ -1,1 +1,1 @@\n-a: (redacted, 1 character)\n+a: (redacted, 1 character, changed)\n",
  });
});
