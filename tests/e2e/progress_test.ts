import assert from "node:assert/strict";
import {
  loopbackAddresses,
  type NodeAddress,
} from "../../simulator/state/node_address.ts";
import { needs } from "../_needs.ts";
import { type Wire, withWire } from "../_wire.ts";
import { withTerminal } from "./_terminal.ts";

const main = new URL("../../mod.ts", import.meta.url).pathname;

/** Reboots all workers in a terminal; gives all lines once that has ended. */
async function rebootLines(
  { names, osconfig }: Wire,
  columns: number,
  { flags = "", rows = 30 } = {},
): Promise<readonly string[]> {
  const env = {
    OSCONFIG: osconfig,
    OS_HOME: osconfig.slice(0, osconfig.lastIndexOf("/")),
    NODES: names.slice(1).join(),
    PATH: Deno.env.get("PATH") ?? "",
    HOME: Deno.env.get("HOME") ?? "",
  };
  const osctl = `'${Deno.execPath()}' run -A --quiet '${main}'`;
  const command =
    `${osctl} reboot --nodes $NODES --max-unavailable 100% ${flags} >/dev/null; echo status $?; sleep 60`;
  let lines: readonly string[] = [];
  await withTerminal(["bash", "-c", command], env, async (terminal) => {
    await terminal.shows(/^status \d/m);
    lines = await terminal.all();
  }, { columns, rows });
  return lines;
}

/** All others are reached through the first, so that they need no ports. */
function endpointOnly(index: number): NodeAddress | undefined {
  return index === 0 ? loopbackAddresses(index) : undefined;
}

const ended =
  /^simulated-worker-\d+ +worker +done +v1\.12\.11 +(?:\d+m)?\d+s +ready, v1\.12\.11$/;

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ...needs("tmux"), fn });
}

for (const columns of [80, 200]) {
  test(`five nodes have a line each in ${columns} columns, and nothing else`, async () => {
    await withWire({ workers: 5 }, async (wire) => {
      const lines = await rebootLines(wire, columns);
      assert.equal(lines.length, 6, lines.join("\n"));
      for (const line of lines.slice(0, 5)) assert.match(line, ended);
      assert.equal(lines[5], "status 0");
    });
  });

  test(`nodes that do not fit a screen of ${columns} columns are counted`, async () => {
    await withWire({ workers: 20, addresses: endpointOnly }, async (wire) => {
      const lines = await rebootLines(wire, columns, { rows: 10 });
      // One row is left for the cursor, and one is for the count.
      assert.equal(lines.length, 10, lines.join("\n"));
      for (const line of lines.slice(0, 8)) assert.match(line, ended);
      assert.deepEqual(lines.slice(8), ["20 nodes: 20 done", "status 0"]);
    });
  });
}

test("kernel logs go above the nodes, and tear nothing", async () => {
  await withWire({ workers: 5 }, async (wire) => {
    const lines = await rebootLines(wire, 200, { flags: "--debug" });
    assert.equal(lines.at(-1), "status 0");
    for (const line of lines.slice(-6, -1)) assert.match(line, ended);
    const above = lines.slice(0, -6);
    assert.ok(above.length > 50);
    for (const line of above) {
      assert.match(line, /^(--- )?10\.5\.0\.\d: /);
    }
  });
});

test("--progress plain prints a line for each step on a terminal, and redraws none", async () => {
  await withWire({ workers: 2 }, async (wire) => {
    const lines = await rebootLines(wire, 120, {
      flags: "--progress plain",
    });
    assert.equal(lines.at(-1), "status 0");
    for (const node of wire.names.slice(1)) {
      const own = lines.filter((line) => line.includes(` ${node}: `));
      assert.match(own[0] ?? "", /^\d\d:\d\d:\d\d \S+: the node is rebooting /);
      assert.ok(own.length > 1, lines.join("\n"));
    }
  });
});
