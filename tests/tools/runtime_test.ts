import assert from "node:assert/strict";
import { parsePlatform } from "../../tools/platforms.ts";
import { fetchRuntime } from "../../tools/runtime.ts";

function facts(execPath: string) {
  const ran: string[] = [];
  return {
    ran,
    execPath,
    target: "x86_64-unknown-linux-gnu",
    version: "2.9.6",
    run: (program: string, args: readonly string[]) => {
      ran.push([program, ...args].join(" "));
      return Promise.resolve("deno-linux-2.9.6.tgz\n");
    },
  };
}

Deno.test("fetchRuntime takes the runtime that npm installed here", async () => {
  const here = facts("/x/node_modules/deno/deno");
  const path = await fetchRuntime(parsePlatform("linux-amd64"), "/tmp/a", here);
  assert.equal(path, "/x/node_modules/deno/deno");
  assert.deepEqual(here.ran, []);
});

Deno.test("fetchRuntime gets other platforms from npm", async () => {
  const here = facts("/x/node_modules/deno/deno");
  const path = await fetchRuntime(parsePlatform("linux-arm64"), "/tmp/a", here);
  assert.equal(path, "/tmp/a/package/deno");
  assert.deepEqual(here.ran, [
    "npm pack --loglevel=error --prefer-offline --pack-destination=/tmp/a @deno/linux-arm64-glibc@2.9.6",
    "tar -xzf /tmp/a/deno-linux-2.9.6.tgz -C /tmp/a",
  ]);
});

Deno.test("fetchRuntime does not trust a runtime that came from elsewhere", async () => {
  const here = facts("/usr/bin/deno");
  const path = await fetchRuntime(parsePlatform("linux-amd64"), "/tmp/a", here);
  assert.equal(path, "/tmp/a/package/deno");
});
