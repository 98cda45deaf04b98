import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import type { FakeNode } from "../_fake.ts";
import { runOn } from "../_run.ts";
import { systemHandlers } from "../workflows/operations/_system.ts";
import { withHome } from "./_home.ts";
import { machine, members } from "./_machine.ts";

/** A node that goes back to v1.12.0 when it is asked to. */
function upgraded(handlers: FakeNode = {}): FakeNode {
  const { reboot, ...node } = machine().node;
  let version = "v1.12.1";
  return {
    ...node,
    ...systemHandlers(() => ({ version })),
    rollback() {
      version = "v1.12.0";
      reboot?.({});
      return { messages: [{}] };
    },
    ...handlers,
  };
}

const workers = members({ a: "worker", b: "worker", c: "worker" });

Deno.test("rollback ends when the system before runs", async () => {
  await withHome(async (env) => {
    const { out, err, status } = await runOn("rollback", {
      a: upgraded(),
      "": workers,
    }, { env });
    assert.equal(
      out,
      `NODE   OUTCOME   REASON
a      done      ready, v1.12.0, was v1.12.1
`,
    );
    assert.equal(
      err,
      "03:04:05 a: the node is rebooting into the previous system\n",
    );
    assert.equal(status, 0);
  });
});

Deno.test("rollback -o jsonl carries node, outcome and reason", async () => {
  await withHome(async (env) => {
    const { out } = await runOn("rollback -o jsonl", {
      a: upgraded(),
      "": workers,
    }, { env });
    assert.deepEqual(JSON.parse(out), {
      node: "a",
      outcome: "done",
      reason: "ready, v1.12.0, was v1.12.1",
    });
  });
});

Deno.test("rollback names the node that has nothing to go back to", async () => {
  await withHome(async (env) => {
    const rollback = () =>
      Promise.reject(new RpcError("UNKNOWN", "previous UKI not found"));
    const { out, err, status } = await runOn("rollback --max-unavailable 3", {
      a: upgraded(),
      b: upgraded({ rollback }),
      c: upgraded(),
      "": workers,
    }, { env });
    assert.deepEqual(
      out.trimEnd().split("\n").slice(1).map((line) => line.slice(0, 11)),
      ["a      done", "c      done"],
    );
    assert.match(err, /^error: b: failed: previous UKI not found$/m);
    assert.equal(status, 3);
  });
});
