import assert from "node:assert/strict";
import { draw, press, type ProcessRow } from "../../commands/processes.ts";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";

const processes = [
  {
    pid: 1,
    ppid: 0,
    state: "S",
    threads: 12,
    cpuTime: 61.257,
    virtualMemory: 1_300_000_000n,
    residentMemory: 52_000_000n,
    command: "machined",
    executable: "/sbin/init",
    args: "/sbin/init",
    label: "system_u:init",
  },
  {
    pid: 2,
    state: "S",
    threads: 1,
    cpuTime: 0.04,
    command: "kthreadd",
  },
  {
    pid: 900,
    ppid: 1,
    state: "R",
    threads: 3,
    cpuTime: 99.5,
    virtualMemory: 800_000n,
    residentMemory: 9_600n,
    command: "tool",
    executable: "/usr/bin/tool",
    args: "tool --name a|b\n\tü",
  },
];

const node = { processes: () => ({ messages: [{ processes }] }) };

Deno.test("processes sorts by memory and shows the program with its path", async () => {
  const { out, err, status } = await run("processes", { "10.0.0.2": node });
  assert.equal(
    out,
    `NODE      PID  STATE  THREADS  CPU-TIME  VIRTMEM  RESMEM  LABEL          COMMAND
10.0.0.2  1    S      12       61.26     1.3 GB   52 MB   system_u:init  /sbin/init
10.0.0.2  900  R      3        99.50     800 kB   9.6 kB                 /usr/bin/tool --name a|b
10.0.0.2  2    S      1        0.04      0 B      0 B                    kthreadd
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("processes keeps a command line that begins with another word", async () => {
  const script = {
    ...processes[0],
    executable: "/usr/bin/python3",
    args: "worker: idle",
  };
  const { out } = await run("processes", {
    a: { processes: () => ({ messages: [{ processes: [script] }] }) },
  });
  assert.ok(out.endsWith("  worker: idle\n"), out);
});

Deno.test("processes --sort cpu sorts by processor time", async () => {
  const { out } = await run("ps -s cpu -o jsonpath=.pid", { a: node });
  assert.equal(out, "900\n1\n2\n");
});

Deno.test("processes -o jsonl carries bytes, seconds and the command line as it is", async () => {
  const { out } = await run("processes -s cpu -o jsonl", { a: node });
  assert.deepEqual(JSON.parse(out.split("\n")[0] ?? ""), {
    node: "a",
    pid: 900,
    ppid: 1,
    state: "R",
    threads: 3,
    cpuTime: 99.5,
    virtualMemory: 800_000,
    residentMemory: 9_600,
    label: "",
    command: "tool",
    executable: "/usr/bin/tool",
    args: "tool --name a|b\n\tü",
  });
});

Deno.test("processes still shows the healthy nodes when one fails", async () => {
  const { out, err, status } = await run("p -o jsonpath=.node", {
    a: node,
    b: { processes: () => Promise.reject(new RpcError("UNAVAILABLE", "gone")) },
    c: node,
  });
  assert.equal(out, "a\na\na\nc\nc\nc\n");
  assert.equal(err, "error: b: gone\n");
  assert.equal(status, 3);
});

Deno.test("processes refuses an order it does not know", async () => {
  const { err, status } = await run("processes --sort name");
  assert.match(
    err,
    /^error: Invalid value "name" for -s, --sort: .*rss, cpu\n/,
  );
  assert.equal(status, 2);
});

Deno.test("processes --watch needs a terminal and no format", async () => {
  const piped = await run("processes --watch");
  assert.match(
    piped.err,
    /^error: Cannot show a full screen: there is no terminal\n/,
  );
  assert.equal(piped.status, 2);
  const formatted = await run("processes --watch -o json");
  assert.match(
    formatted.err,
    /^error: Flags --watch and --output cannot be combined\n/,
  );
  assert.equal(formatted.status, 2);
});

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

Deno.test("the screen of processes begins with what went wrong", () => {
  const lines = draw({ rows, order: "rss", problems: ["c: gone"] }, size);
  assert.deepEqual(lines.slice(0, 3), [
    "c: gone",
    "NODE  PID  STATE  THREADS  CPU-TIME  VIRTMEM  RESMEM  LABEL  COMMAND",
    "b     2    S      1        2.00      0 B      30 B           p2",
  ]);
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
