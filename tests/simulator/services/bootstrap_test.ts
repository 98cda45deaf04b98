import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  newDatabase,
  writeSnapshot,
} from "../../../simulator/etcd/database.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { bootstrap } from "../../../simulator/services/etcd.ts";
import type { NodeCall } from "../../../simulator/services/handlers.ts";
import { makeNodes } from "../_node.ts";

const place = { members: [], version: "3.6.0", index: 40n, term: 7n };

const snapshot = await writeSnapshot(newDatabase("before"), place);

const plain = { recoverEtcd: false, recoverSkipHashCheck: false };

function makeCall(node: SimulatedNode): NodeCall {
  const { signal } = new AbortController();
  return { node, roles: new Set(["os:admin"]), signal };
}

/** Sends a snapshot in two parts. */
async function send(node: SimulatedNode, bytes: Uint8Array): Promise<unknown> {
  async function* parts() {
    for (const part of [bytes.subarray(0, 1000), bytes.subarray(1000)]) {
      yield { bytes: part, metadata: undefined };
    }
  }
  return await bootstrap.etcdRecover!(parts(), makeCall(node));
}

Deno.test("a node that has not started its runtime does neither yet", async () => {
  const [node] = await makeNodes();
  await assert.rejects(
    async () => await bootstrap.bootstrap!(plain, makeCall(node!)),
    new RpcError("FAILED_PRECONDITION", "bootstrap is not available yet"),
  );
  await assert.rejects(
    send(node!, snapshot),
    new RpcError(
      "FAILED_PRECONDITION",
      "etcd service is not ready for recovery yet",
    ),
  );
});
