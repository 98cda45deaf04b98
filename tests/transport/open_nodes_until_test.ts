import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";
import type { NodesError, RpcError } from "../../errors.ts";
import { endpoint, open } from "./_nodes.ts";
import {
  dataReply,
  readPath,
  type Routes,
  versionPath,
  versionReply,
} from "./_server.ts";

Deno.test("openNodes ends the calls of one node early, and no others", async () => {
  await using server = await endpoint({
    async *[versionPath]({ signal }) {
      await new Promise((done) => signal.addEventListener("abort", done));
      yield versionReply("v1");
    },
  });
  using nodes = open({ endpoints: [server.endpoint], nodes: ["a"] });
  const until = new AbortController();
  const bound = (await nodes.at("a", until.signal)).machine.version({});
  const free = (await nodes.at("a")).machine.version({}, { deadlineMs: 200 });
  const late = new Error("late");
  until.abort(late);
  await assert.rejects(bound, late);
  await assert.rejects(free, { code: "DEADLINE_EXCEEDED" });
});

Deno.test("openNodes ends a file, list or log that falls silent, and waits for one that is followed", async () => {
  const snapshotPath = "/machine.MachineService/EtcdSnapshot";
  const logsPath = "/machine.MachineService/Logs";
  const first = new Uint8Array([1]);
  const silent: Routes[string] = async function* ({ signal }) {
    yield dataReply(first);
    await new Promise((done) => signal.addEventListener("abort", done));
  };
  let isFollowed = true;
  await using server = await endpoint({
    [readPath]: silent,
    [snapshotPath]: silent,
    async *[logsPath](call) {
      if (!isFollowed) return yield* silent(call);
      yield dataReply(first);
      await pause(150, call.signal);
      yield dataReply(first);
    },
  });
  using nodes = open({
    endpoints: [server.endpoint],
    nodes: ["a"],
    nodeTimeoutMs: 25,
  });
  const late = { code: "DEADLINE_EXCEEDED", message: "No data for 0.05 s" };
  const { machine } = await nodes.only("x");
  await assert.rejects(Array.fromAsync(machine.etcdSnapshot({})), late);
  await assert.rejects(
    Array.fromAsync(
      nodes.stream(({ machine }) => machine.read({ path: "/x" })),
    ),
    ({ failures }: NodesError) => {
      assert.equal((failures.get("a") as RpcError).message, late.message);
      return true;
    },
  );
  assert.equal(
    (await Array.fromAsync(machine.logs({ follow: true }))).length,
    2,
  );
  isFollowed = false;
  await assert.rejects(Array.fromAsync(machine.logs({})), late);
});
