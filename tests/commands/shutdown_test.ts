import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import type { FakeNode } from "../_fake.ts";
import { run, runOn } from "../_run.ts";
import { withHome } from "./_home.ts";
import { beginning, machine, members } from "./_machine.ts";

/** A node that is gone when it is asked to shut down. */
function mortal(handlers: FakeNode = {}) {
  const { reboot: _, ...node } = machine().node;
  const sent: unknown[] = [];
  let isOff = false;
  const alive = Object.fromEntries(
    Object.entries(node).map(([name, handler]) => [name, (request: unknown) => {
      if (isOff) throw new RpcError("UNAVAILABLE", "No route to host");
      return handler(request);
    }]),
  );
  return {
    sent,
    node: {
      ...alive,
      events: beginning("x"),
      shutdown(request: unknown) {
        sent.push(request);
        isOff = true;
        return { messages: [{ actorId: "x" }] };
      },
      ...handlers,
    },
  };
}

const workers = members({ a: "worker", b: "worker", c: "worker" });

Deno.test("shutdown ends when the nodes are silent", async () => {
  await withHome(async (env) => {
    const [a, b] = [mortal(), mortal()];
    const { out, err, status } = await runOn(
      "shutdown --nodes a,b --yes --force",
      { a: a.node, b: b.node, "": workers },
      { env },
    );
    assert.equal(
      out,
      `NODE   OUTCOME   REASON
a      done      the node no longer answers
b      done      the node no longer answers
`,
    );
    assert.match(err, /^a +worker +- +-$/m);
    assert.match(
      err,
      /^03:04:05 a: the node has taken the request \(actor x\)$/m,
    );
    assert.deepEqual(a.sent, [{ force: true }]);
    assert.equal(status, 0);
  });
});

Deno.test("shutdown asks before, and never for the default nodes", async () => {
  await withHome(async (env) => {
    const unasked = await run("shutdown --yes", {}, { env });
    assert.match(unasked.err, /does not run on the default nodes/);
    assert.equal(unasked.status, 5);
    const { shutdown: _, events: _events, ...node } = mortal().node;
    const unanswered = await runOn("shutdown -n a", { a: node, "": workers }, {
      env,
    });
    assert.match(unanswered.err, /"shutdown" needs a confirmation/);
    assert.equal(unanswered.status, 5);
  });
});
