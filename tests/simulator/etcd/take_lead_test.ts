import assert from "node:assert/strict";
import { takeLead } from "../../../simulator/etcd/take_lead.ts";
import { servingNodes } from "./_nodes.ts";

Deno.test("the leader gives its place to the member that is to have it, once", async () => {
  const [first, second] = await servingNodes(2);
  const { client } = second!.etcd.server;
  const own = await client.memberId();
  await takeLead(second!);
  const { leader, raftTerm } = await client.status();
  assert.equal(leader, own);
  await takeLead(second!);
  assert.equal((await client.status()).raftTerm, raftTerm);
  await takeLead(first!);
  assert.notEqual((await client.status()).leader, own);
});
