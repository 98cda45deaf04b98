import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import {
  EtcdError,
  etcdRefusal,
  notRunningError,
  rpcAnswer,
  rpcAnswers,
  toRpcError,
  withPrefix,
} from "../../../simulator/etcd/etcd_error.ts";

Deno.test("a refusal of etcd is known by its words, and reads the same inside of others", () => {
  const { message, code, inner, refusal } = new EtcdError(
    "etcdserver: member not found",
  );
  assert.deepEqual([message, code, inner, refusal], [
    "etcdserver: member not found",
    undefined,
    "etcdserver: member not found",
    "memberNotFound",
  ]);
  assert.equal(new EtcdError("etcdserver: not known").refusal, undefined);
});

Deno.test("no two refusals have the same words", () => {
  const words = Object.values(etcdRefusal);
  assert.equal(new Set(words).size, words.length);
});

Deno.test("a refusal on the way reads with its status inside of others", () => {
  const { inner, refusal } = new EtcdError("context canceled", "CANCELLED");
  assert.equal(inner, "rpc error: code = Canceled desc = context canceled");
  assert.equal(refusal, undefined);
  const given = new EtcdError("late", "DEADLINE_EXCEEDED", "in other words");
  assert.equal(given.inner, "in other words");
});

Deno.test("a server that does not run refuses the connection", () => {
  const { code, message } = notRunningError("10.5.0.2:2379");
  assert.equal(code, "UNAVAILABLE");
  assert.equal(
    message,
    'connection error: desc = "transport: Error while dialing: dial tcp 10.5.0.2:2379: connect: connection refused"',
  );
});

const refused = new EtcdError("etcdserver: no leader");
const late = new EtcdError("context deadline exceeded", "DEADLINE_EXCEEDED");
const bug = new TypeError("a bug");

Deno.test("an answer is passed on as it is", async () => {
  assert.equal(await rpcAnswer(Promise.resolve(7), "failed"), 7);
});

Deno.test("a refusal of etcd has no status, one on the way keeps its own", async () => {
  await assert.rejects(
    rpcAnswer(Promise.reject(refused)),
    new RpcError("UNKNOWN", "etcdserver: no leader"),
  );
  await assert.rejects(
    rpcAnswer(Promise.reject(refused), "failed to ask"),
    new RpcError("UNKNOWN", "failed to ask: etcdserver: no leader"),
  );
  await assert.rejects(
    rpcAnswer(Promise.reject(late)),
    new RpcError("DEADLINE_EXCEEDED", "context deadline exceeded"),
  );
  await assert.rejects(
    rpcAnswer(Promise.reject(late), "failed to ask"),
    new RpcError(
      "DEADLINE_EXCEEDED",
      "failed to ask: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
    ),
  );
});

Deno.test("bugs of the simulator are passed on as they are", async () => {
  await assert.rejects(rpcAnswer(Promise.reject(bug), "failed"), bug);
  assert.equal(toRpcError(bug, "failed"), bug);
  assert.equal(withPrefix(bug, "failed"), bug);
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
      for await (const one of rpcAnswers(answer(), "failed")) seen.push(one);
    },
    new RpcError("UNKNOWN", "failed: etcdserver: no leader"),
  );
  assert.deepEqual(seen, [1, 2]);
});

Deno.test("words in front of a refusal stay there, with its status", () => {
  const started = withPrefix(late, "failed to remove member 7");
  const text =
    "failed to remove member 7: rpc error: code = DeadlineExceeded desc = context deadline exceeded";
  assert.deepEqual(
    toRpcError(started, "failed to leave"),
    new RpcError("DEADLINE_EXCEEDED", `failed to leave: ${text}`),
  );
  assert.deepEqual(
    toRpcError(started),
    new RpcError("DEADLINE_EXCEEDED", text),
  );
});
