import assert from "node:assert/strict";

import { keysIn, readLines, valueAt } from "../../../commands/_cgroups/tree.ts";

const group = {
  files: new Map([
    ["memory.max", "max\n"],
    ["cpuset.cpus", "\n"],
    ["cpu.stat", "usage_usec 12\nuser_usec 7\n"],
    ["io.stat", "8:16 rbytes=5 wbytes=6\n254:0 rbytes=1 wbytes=2\n7:0 \n"],
    ["cgroup.procs", "1\n22\n"],
  ]),
};

for (
  const [path, value] of [
    ["memory.max", "max"],
    ["memory.min", undefined],
    ["cpuset.cpus", undefined],
    ["cpu.stat/user_usec", "7"],
    ["cpu.stat/usage", undefined],
    ["io.stat/254:0/wbytes", "2"],
    ["io.stat/254:0/dbytes", undefined],
    ["io.stat/9:0/rbytes", undefined],
  ] as const
) {
  Deno.test(`the value at ${path} is ${value}`, () => {
    assert.equal(valueAt(group, path), value);
  });
}

Deno.test("keys with values and lines are listed", () => {
  assert.deepEqual(keysIn(group, "io.stat"), ["254:0", "8:16"]);
  assert.deepEqual(readLines(group, "cgroup.procs"), ["1", "22"]);
  assert.deepEqual(readLines(group, "cgroup.threads"), []);
});
