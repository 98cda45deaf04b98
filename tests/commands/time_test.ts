import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

const message = {
  server: "time.example.org",
  localtime: { seconds: 1_767_323_045n, nanos: 120_000_000 },
  remotetime: { seconds: 1_767_323_046n },
};

const answer = () => ({ messages: [message] });

Deno.test("time shows the clock of the node beside that of its server", async () => {
  const { out, err, status } = await run("time", {
    "10.0.0.2": { time: answer },
  });
  assert.equal(
    out,
    `NODE       NTP-SERVER         NODE-TIME                          NTP-SERVER-TIME
10.0.0.2   time.example.org   2026-01-02 03:04:05.12 +0000 UTC   2026-01-02 03:04:06 +0000 UTC
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("time --check asks for the server that is given", async () => {
  for (const flag of ["--check ntp1", "-c ntp1"]) {
    const asked: unknown[] = [];
    await run(`time ${flag}`, {
      a: {
        timeCheck(request) {
          asked.push(request);
          return answer();
        },
      },
    });
    assert.deepEqual(asked, [{ server: "ntp1" }]);
  }
});

Deno.test("time -o jsonl carries ISO 8601", async () => {
  const { out } = await run("time -o jsonl", { a: { time: answer } });
  assert.deepEqual(JSON.parse(out), {
    node: "a",
    server: "time.example.org",
    nodeTime: "2026-01-02T03:04:05.12Z",
    serverTime: "2026-01-02T03:04:06Z",
  });
});

Deno.test("time fails for a node that leaves one of the times out", async () => {
  const { out, err, status } = await run("time -o jsonpath=.node", {
    a: { time: () => ({ messages: [{ ...message, remotetime: undefined }] }) },
    b: { time: () => ({ messages: [] }) },
    c: { time: answer },
  });
  assert.equal(out, "c\n");
  assert.equal(
    err,
    `error: a: Cannot compare times: the node sent none of the time server
error: b: Cannot compare times: the node sent none of its own
`,
  );
  assert.equal(status, 3);
});

Deno.test("time still shows the healthy nodes when one fails", async () => {
  const { out, err, status } = await run("time -o jsonpath=.node", {
    a: { time: answer },
    b: { time: () => Promise.reject(new RpcError("INTERNAL", "no answer")) },
    c: { time: answer },
  });
  assert.equal(out, "a\nc\n");
  assert.equal(err, "error: b: no answer\n");
  assert.equal(status, 3);
});

Deno.test("time --check needs a server", async () => {
  const { err, status } = await run("time --check");
  assert.match(err, /^error: Flag -c, --check needs a value\n/);
  assert.equal(status, 2);
});
