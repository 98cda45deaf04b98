import assert from "node:assert/strict";
import { needs } from "../_needs.ts";
import { withTerminal } from "./_terminal.ts";

const player = new URL("_play_run.ts", import.meta.url).pathname;

const env = {
  PATH: Deno.env.get("PATH") ?? "",
  HOME: Deno.env.get("HOME") ?? "",
  DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
};

/** Plays a run in a terminal: what was seen on the way, and all lines in the end. */
async function play(nodes: number, ms: number, columns: number) {
  const deno = `'${Deno.execPath()}' run -A --quiet '${player}'`;
  const command = `${deno} ${nodes} ${ms}; echo status $?; sleep 60`;
  const seen: string[] = [];
  let lines: readonly string[] = [];
  await withTerminal(["bash", "-c", command], env, async (terminal) => {
    await terminal.shows(/^rolling-upgrade/m);
    do seen.push(await terminal.shows(/^/)); while (
      !/^status \d/m.test(seen.at(-1) ?? "")
    );
    lines = await terminal.all();
  }, { columns, rows: 30 });
  return { seen, lines };
}

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ...needs("tmux"), fn });
}

const above = [
  /^\d\d:\d\d:\d\d interrupted: stopping after w-5$/,
];

const done = /^[✓✗] w-\d+ +(done|failed.*) +\d+s$/;

for (const columns of [80, 200]) {
  test(`a run over five nodes has a line for each in ${columns} columns, and what matters above`, async () => {
    const { seen, lines } = await play(5, 60, columns);
    assert.equal(lines.length, 11, lines.join("\n"));
    above.forEach((one, i) => assert.match(lines[i] ?? "", one));
    assert.match(
      lines[1] ?? "",
      /^rolling-upgrade on prod {2}finished with failures \d+s, since \d\d:\d\d UTC {2}run r1$/,
    );
    assert.match(lines[2] ?? "", /^━{40} {2}5 of 5 nodes, 1 failed$/);
    assert.equal(lines[3], "✓ preflight  ✓ workers 5/5  ○ final");
    for (const line of lines.slice(5, 10)) assert.match(line, done);
    // The end is reported once.
    assert.equal(lines.join("\n").match(/w-3/g)?.length, 1);
    assert.equal(lines[10], "status 0");
    assert.ok(
      seen.some((screen) => /^● w-\d +(drain|restart|waiting)/m.test(screen)),
    );
    assert.ok(
      seen.some((screen) =>
        /^Next: w-\d, when w-\d is done; \d of 1 allowed failure$/m
          .test(screen)
      ),
    );
  });

  test(`a run over 200 nodes fits a screen of ${columns} columns, and is counted`, async () => {
    const { seen, lines } = await play(200, 1, columns);
    assert.match(
      lines[1] ?? "",
      /^rolling-upgrade on prod {2}finished with failures/,
    );
    assert.deepEqual(lines.slice(2, 6), [
      `${"━".repeat(40)}  200 of 200 nodes, 1 failed`,
      "✓ preflight  ✓ workers 200/200  ○ final",
      "",
      "200 nodes: 1 failed, 199 done",
    ]);
    assert.match(lines[6] ?? "", done);
    assert.deepEqual(lines.slice(7), ["status 0"]);
    // It never was unavailable, and never there twice; the very last line has pushed it out.
    for (const screen of seen.slice(0, -1)) {
      assert.equal(
        screen.match(/^rolling-upgrade on prod/gm)?.length,
        1,
        screen,
      );
    }
  });
}
