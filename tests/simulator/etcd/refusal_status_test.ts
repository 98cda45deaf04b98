import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { EtcdError } from "../../../simulator/etcd/etcd_error.ts";
import {
  passedOn,
  told,
  toldEach,
  withStart,
} from "../../../simulator/etcd/refusal_status.ts";

const refused = new EtcdError("etcdserver: no leader");
const late = new EtcdError("context deadline exceeded", "DEADLINE_EXCEEDED");
const mistake = new TypeError("a mistake");

Deno.test("an answer is passed on as it is", async () => {
  assert.equal(await told(Promise.resolve(7), "failed"), 7);
});

Deno.test("a refusal of etcd has no status, one on the way keeps its own", async () => {
  await assert.rejects(
    told(Promise.reject(refused)),
    new RpcError("UNKNOWN", "etcdserver: no leader"),
  );
  await assert.rejects(
    told(Promise.reject(refused), "failed to ask"),
    new RpcError("UNKNOWN", "failed to ask: etcdserver: no leader"),
  );
  await assert.rejects(
    told(Promise.reject(late)),
    new RpcError("DEADLINE_EXCEEDED", "context deadline exceeded"),
  );
  await assert.rejects(
    told(Promise.reject(late), "failed to ask"),
    new RpcError(
      "DEADLINE_EXCEEDED",
      "failed to ask: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
    ),
  );
});

Deno.test("mistakes of the simulation are not dressed up", async () => {
  await assert.rejects(told(Promise.reject(mistake), "failed"), mistake);
  assert.equal(passedOn(mistake, "failed"), mistake);
  assert.equal(withStart(mistake, "failed"), mistake);
});

Deno.test("a stream is passed on up to its refusal", async () => {
  async function* answer() {
    yield 1;
    yield 2;
    await Promise.reject(refused);
  }
  const seen: number[] = [];
  await assert.rejects(
    async () => {
      for await (const one of toldEach(answer(), "failed")) seen.push(one);
    },
    new RpcError("UNKNOWN", "failed: etcdserver: no leader"),
  );
  assert.deepEqual(seen, [1, 2]);
});

Deno.test("words in front of a refusal stay there, with its status", () => {
  const started = withStart(late, "failed to remove member 7");
  const text =
    "failed to remove member 7: rpc error: code = DeadlineExceeded desc = context deadline exceeded";
  assert.deepEqual(
    passedOn(started, "failed to leave"),
    new RpcError("DEADLINE_EXCEEDED", `failed to leave: ${text}`),
  );
  assert.deepEqual(
    passedOn(started),
    new RpcError("DEADLINE_EXCEEDED", text),
  );
});
