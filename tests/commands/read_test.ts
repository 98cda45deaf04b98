import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

const encode = (text: string) => new TextEncoder().encode(text);

async function* content() {
  yield { bytes: encode("one\n") };
  await Promise.resolve();
  yield {};
  yield { bytes: new Uint8Array([0, 255, 10]) };
}

Deno.test("read passes a file on as it is", async () => {
  const requests: unknown[] = [];
  const { bytes, err, status } = await run("read /etc/hosts", {
    a: {
      read(request) {
        requests.push(request);
        return content();
      },
    },
  });
  assert.deepEqual([...bytes], [...encode("one\n"), 0, 255, 10]);
  assert.deepEqual({ err, status }, { err: "", status: 0 });
  assert.deepEqual(requests, [{ path: "/etc/hosts" }]);
});

Deno.test("cat is read", async () => {
  assert.equal((await run("cat /x", { a: { read: content } })).status, 0);
});

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

Deno.test("read keeps what controls a terminal from a terminal", async () => {
  const read = async function* () {
    await Promise.resolve();
    yield { bytes: encode("a\x1b[2Jb\n") };
  };
  const { out } = await run("read /x", { a: { read } }, { columns: 80 });
  assert.equal(out, "ab\n");
});

Deno.test("read refuses several nodes that are named", async () => {
  const { err, status } = await run("read /x -n a,b", { a: {}, b: {} });
  assert.match(err, /^error: Command "read" /);
  assert.equal(status, 2);
});

Deno.test("read names the argument that is missing", async () => {
  assert.deepEqual(await run("read"), {
    out: "",
    bytes: new Uint8Array(),
    err: `error: Argument <path> is missing: file to read
Usage: osctl read <path> [flags]
Run "osctl read --help" for its flags
`,
    status: 2,
  });
});
