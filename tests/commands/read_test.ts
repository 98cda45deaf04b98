import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("read gives what came before a failure, then fails", async () => {
  const { out, err, status } = await run("read /a/b", {
    "10.0.0.2": {
      async *read() {
        yield { bytes: encode("start") };
        await Promise.resolve();
        throw new RpcError("UNKNOWN", "read /a/b: input/output error");
      },
    },
  });
  assert.equal(out, "start");
  assert.equal(
    err,
    `error: Cannot read "/a/b" of 10.0.0.2: read /a/b: input/output error
hint: List files with "osctl list /a"
`,
  );
  assert.equal(status, 1);
});

Deno.test("read fails when a message carries an error", async () => {
  const { out, err, status } = await run("read /b", {
    a: {
      async *read() {
        await Promise.resolve();
        yield { bytes: encode("start"), metadata: { error: "is a device" } };
      },
    },
  });
  assert.equal(out, "start");
  assert.match(err, /^error: Cannot read "\/b" of a: is a device\n/);
  assert.equal(status, 1);
});
