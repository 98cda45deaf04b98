import assert from "node:assert/strict";
import { draw, press, type ProcessRow } from "../../commands/processes.ts";

function row(node: string, pid: number, use: Partial<ProcessRow>): ProcessRow {
  return {
    node,
    pid,
    ppid: 0,
    state: "S",
    threads: 1,
    cpuTime: 0,
    virtualMemory: 0,
    residentMemory: 0,
    label: "",
    command: `p${pid}`,
    executable: "",
    args: "",
    ...use,
  };
}

const rows = [
  row("a", 1, { residentMemory: 10, cpuTime: 1 }),
  row("b", 2, { residentMemory: 30, cpuTime: 2 }),
  row("a", 3, { residentMemory: 20, cpuTime: 3 }),
];

const size = { columns: 80, rows: 24 };

Deno.test("the screen of processes sorts over all nodes", () => {
  const order = (by: "rss" | "cpu") =>
    draw({ rows, order: by, problems: [] }, size).slice(1, 4).map((line) =>
      line.split(/ +/)[1]
    );
  assert.deepEqual(order("rss"), ["2", "3", "1"]);
  assert.deepEqual(order("cpu"), ["3", "2", "1"]);
});

Deno.test("the screen of processes knows the keys q, r, m and c", () => {
  const screen = { rows, order: "rss", problems: [] } as const;
  assert.equal(press(screen, "q"), undefined);
  assert.equal(press(screen, "c")?.order, "cpu");
  for (const key of ["r", "m"]) {
    assert.equal(press({ ...screen, order: "cpu" }, key)?.order, "rss");
  }
  assert.equal(press(screen, "x"), screen);
});
