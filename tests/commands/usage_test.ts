import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

const requests: unknown[] = [];

async function* diskUsage(request: { readonly paths: readonly string[] }) {
  requests.push(request);
  await Promise.resolve();
  const [path = ""] = request.paths;
  if (path === "/nothing") {
    const error = "lstat /nothing: no such file or directory";
    yield { name: path, relativeName: path, error };
    return;
  }
  if (path === "/old") throw new RpcError("UNKNOWN", "lstat /old: no");
  if (path === "/gone") throw new RpcError("UNAVAILABLE", "gone");
  yield { name: `${path}/log`, relativeName: "log", size: 1_234_567n };
  yield { name: path, relativeName: ".", size: 5_000_000_000n };
}

Deno.test("usage asks for each path by itself, one level more than it shows", async () => {
  requests.length = 0;
  const { out } = await run("du -aH -d 2 -t -4096 /var /etc", {
    a: { diskUsage },
  });
  const others = { recursionDepth: 3, all: true, threshold: -4096n };
  assert.deepEqual(requests, [
    { ...others, paths: ["/var"] },
    { ...others, paths: ["/etc"] },
  ]);
  assert.equal(
    out,
    `NODE   SIZE     NAME
a      1.2 MB   /var/log
a      5.0 GB   /var
a      1.2 MB   /etc/log
a      5.0 GB   /etc
`,
  );
  requests.length = 0;
  await run("usage", { a: { diskUsage } });
  assert.deepEqual(requests, [
    { recursionDepth: 2, all: false, threshold: 0n, paths: ["/"] },
  ]);
});

Deno.test("usage shows the other paths when some cannot be read", async () => {
  const { out, err, status } = await run("usage /nothing /var /old -o jsonl", {
    a: { diskUsage },
  });
  const [first, second, failure] = out.trim().split("\n").map((row) =>
    JSON.parse(row)
  );
  assert.deepEqual([first, second], [
    { node: "a", name: "log", path: "/var/log", size: 1234567 },
    { node: "a", name: ".", path: "/var", size: 5000000000 },
  ]);
  assert.equal(failure.error.message, "2 paths could not be read");
  assert.equal(
    err,
    `warning: a: Cannot read "/nothing": lstat /nothing: no such file or directory
warning: a: Cannot read "/old": lstat /old: no
error: a: 2 paths could not be read
`,
  );
  assert.equal(status, 1);
});
