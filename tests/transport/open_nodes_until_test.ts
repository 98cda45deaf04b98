import assert from "node:assert/strict";
import { endpoint, open } from "./_nodes.ts";
import { versionPath, versionReply } from "./_server.ts";

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
