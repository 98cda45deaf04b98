import assert from "node:assert/strict";
import { nodeClient } from "../../../../transport/call/client.ts";
import { connectModel } from "../../../../workflows/rehearsal/model/model_nodes.ts";
import { withModel } from "../../../simulator/_model.ts";

const signal = new AbortController().signal;

Deno.test("without endpoints no node of a model cluster is found", async () => {
  await withModel({}, async (cluster) => {
    const transport = connectModel(cluster, [], cluster.admin);
    const client = nodeClient("nobody", transport, { signal });
    await assert.rejects(client.machine.version({}), {
      message: "Cannot connect: no endpoint is known",
    });
  });
});
