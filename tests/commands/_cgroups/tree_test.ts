import assert from "node:assert/strict";
import type { ArchiveEntry } from "../../../lib/archive/entries.ts";
import {
  keysIn,
  readCgroups,
  readLines,
  valueAt,
  walkCgroups,
} from "../../../commands/_cgroups/tree.ts";

async function* archive(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    await Promise.resolve();
    const kind = name.endsWith("/") ? "folder" : "file";
    const body = (async function* () {
      await Promise.resolve();
      const bytes = new TextEncoder().encode(text);
      yield bytes.subarray(0, 3);
      yield bytes.subarray(3);
    })();
    const entry: ArchiveEntry = { name, kind, mode: 0o444, target: "", body };
    yield entry;
  }
}

Deno.test("control groups are a tree sorted by what their folders stand for", async () => {
  const root = await readCgroups(
    archive({
      "system/b/memory.current": "2\n",
      "system/a/memory.current": "1\n",
      "kubepods/podx/memory.current": "3\n",
      "kubepods/podx/secret": "not wanted",
      "init/": "",
      "cpu.stat": "usage_usec 7\n",
    }),
    new Set(["memory.current", "cpu.stat"]),
    (folder) => ({ a: "zeta", podx: "default/web" })[folder] ?? folder,
  );
  assert.deepEqual(
    [...walkCgroups(root)].map(({ group, parent, branch }) => [
      `${branch}${group.name}`,
      group.path,
      parent?.name,
      [...group.files.values()].join(),
    ]),
    [
      [".", "", undefined, "usage_usec 7\n"],
      ["├──init", "init", ".", ""],
      ["├──kubepods", "kubepods", ".", ""],
      ["│   └──default/web", "kubepods/podx", "kubepods", "3\n"],
      ["└──system", "system", ".", ""],
      ["    ├──b", "system/b", "system", "2\n"],
      ["    └──zeta", "system/a", "system", "1\n"],
    ],
  );
});

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
