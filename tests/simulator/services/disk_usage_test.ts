import assert from "node:assert/strict";
import { largeFile } from "../../../simulator/files/entry.ts";
import { diskUsage } from "../../../simulator/services/disk_usage.ts";
import { DiskUsageRequest } from "../../../transport/gen/machine.ts";
import { bootedNode } from "../_node.ts";

Deno.test("DiskUsage keeps to thresholds in both directions, and says what is missing", async () => {
  const node = await bootedNode();
  node.files.set("/opt/large", largeFile(1000));
  node.files.set("/opt/small", largeFile(10));
  const usage = async (request: object) => {
    const call = {
      node,
      roles: new Set<string>(),
      signal: new AbortController().signal,
    };
    const seen = [];
    for await (
      const { relativeName, size, error } of diskUsage(
        DiskUsageRequest.fromPartial(request),
        call,
      )
    ) {
      seen.push(`${relativeName} ${error ?? size}`);
    }
    return seen;
  };
  assert.deepEqual(
    await usage({ paths: ["opt/"], all: true, threshold: 100n }),
    ["large 1000", ". 5106"],
  );
  assert.deepEqual(
    await usage({ paths: ["/opt"], all: true, threshold: -100n }),
    ["small 10"],
  );
  assert.deepEqual(await usage({ paths: ["/none"] }), [
    "/none lstat /none: no such file or directory",
  ]);
  assert.deepEqual(await usage({ paths: [] }), []);
});
