import assert from "node:assert/strict";
import {
  type CgroupColumn,
  toCell,
} from "../../../commands/_cgroups/column.ts";
import type { Cgroup } from "../../../commands/_cgroups/tree.ts";

const group = (files: Readonly<Record<string, string>>): Cgroup => ({
  path: "a",
  name: "a",
  files: new Map(Object.entries(files)),
  children: [],
});

const place = {
  parent: group({ "cpu.stat": "user_usec 4000\n" }),
  group: group({
    "cpu.stat": "user_usec 1000\nsystem_usec 1500000\n",
    "cpu.max": "max 100000\n",
    "memory.current": "1048576\n",
    "memory.max": "max\n",
    "memory.low": "3145728\n",
    "cpuset.cpus": "0-3\n",
    "cgroup.procs": "1\n22\n",
    "io.stat": "8:16 rbytes=2048 wbytes=0\n254:0 rbytes=1 wbytes=3\n",
    "io.pressure": "some avg10=1.50 avg60=0.00 total=1234567\n",
  }),
  processes: new Map([["1", "init"]]),
  devices: new Map([["254:0", "vda"]]),
};

const columns:
  readonly (readonly [Omit<CgroupColumn, "name">, string, unknown])[] = [
    [{ value: "memory.current" }, "1048576", 1048576],
    [
      { value: "memory.current", format: "bytes", width: 8 },
      " 1.0 MiB",
      1048576,
    ],
    [{ value: "memory.max", format: "bytes", width: 5 }, "  max", "max"],
    [{ value: "memory.min", format: "bytes" }, "unset", null],
    [{ value: "io.pressure/some/avg10" }, "1.50", 1.5],
    [
      { value: "io.pressure/some/total", format: "duration" },
      "1.234567s",
      1.234567,
    ],
    [{ value: "cpu.stat/system_usec", format: "duration" }, "1.5s", 1.5],
    [{ value: "cpu.max", format: "list", width: 4 }, "[ max 100000]", [
      "max",
      100000,
    ]],
    [{ value: "cpuset.cpus", format: "text", width: 5 }, "  0-3", "0-3"],
    [{ value: "cpuset.mems", format: "text" }, "", null],
    [{ value: "cgroup.procs", format: "count", width: 3 }, "  2", 2],
    [{ value: "cgroup.procs", format: "processes" }, "[init 22]", [
      "init",
      "22",
    ]],
    [{ value: "cgroup.procs", format: "processes", most: 4 }, "[ini", [
      "init",
      "22",
    ]],
    [
      { value: ["io.stat/*/rbytes", "io.stat/*/wbytes"], format: "bytes" },
      "8:16: 2.0 KiB/0 B vda: 1 B/3 B",
      { "8:16": [2048, 0], vda: [1, 3] },
    ],
    [{ value: "cpu.stat/user_usec", percentOf: "parent" }, " 25.00%", 25],
    [{ value: "memory.current", percentOf: "memory.low" }, " 33.33%", 33.33],
    [{ value: "memory.current", percentOf: "memory.max" }, "  0.00%", 0],
    [{ value: "memory.current", percentOf: "memory.min" }, " unset%", null],
  ];

for (const [column, text, value] of columns) {
  Deno.test(`a column ${JSON.stringify(column)} shows "${text}"`, () => {
    assert.deepEqual(toCell({ name: "x", ...column }, place), { text, value });
  });
}

Deno.test("the root has nothing above it, and columns may leave it out", () => {
  const { parent: _, ...root } = place;
  const column = { name: "x", value: "cpu.stat/user_usec" };
  assert.equal(toCell({ ...column, percentOf: "parent" }, root).text, "-");
  assert.equal(toCell({ ...column, root: false }, root).text, "");
});

for (
  const [part, whole, text] of [
    ["1", "3", "33.33"],
    ["1", "max", "0.00"],
    ["max", "max", "100.00"],
    ["max", "3", "max"],
    ["1", "0", "max"],
    [undefined, "3", "unset"],
    ["3", undefined, "unset"],
    ["7", "1", "700.00"],
  ] as const
) {
  Deno.test(`${part} of ${whole} is ${text}`, () => {
    const files = {
      ...part && { "memory.current": part },
      ...whole && { "memory.max": whole },
    };
    const column = { value: "memory.current", percentOf: "memory.max" };
    const cell = toCell({ name: "x", ...column }, {
      ...place,
      group: group(files),
    });
    assert.equal(cell.text.trim(), `${text}%`);
  });
}
