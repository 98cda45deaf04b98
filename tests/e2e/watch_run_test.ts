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
  /^\d\d:\d\d:\d\d interrupt: stopping after restart on w-5$/,
];

const done = /^w-\d+ +(done|failed) +\d+s$/;

for (const columns of [80, 200]) {
  test(`a run over five nodes has a line for each in ${columns} columns, and what matters above`, async () => {
    const { seen, lines } = await play(5, 30, columns);
    assert.equal(lines.length, 9, lines.join("\n"));
    above.forEach((one, i) => assert.match(lines[i] ?? "", one));
    assert.match(
      lines[1] ?? "",
      /^rolling-upgrade on prod {2}r1 {2}partial {2}\d+s$/,
    );
    assert.equal(lines[2], "[x] preflight  [x] workers 5/5  [ ] final");
    for (const line of lines.slice(3, 8)) assert.match(line, done);
    // The end is reported once.
    assert.equal(lines.join("\n").match(/w-3/g)?.length, 1);
    assert.equal(lines[8], "status 0");
    assert.ok(seen.some((screen) => /^w-\d +(running|waiting) /m.test(screen)));
    assert.ok(
      seen.some((screen) =>
        /^workers \d\/5 {2}1 in flight {2}1 unavailable \(limit 2\) {2}\d failed \(limit 1\)$/m
          .test(screen)
      ),
    );
    assert.ok(
      seen.some((screen) => /^stopping after .* on w-5/m.test(screen)),
    );
  });

  test(`a run over 200 nodes fits a screen of ${columns} columns, and is counted`, async () => {
    const { seen, lines } = await play(200, 1, columns);
    const [, head, stages, ...rest] = lines;
    assert.match(head ?? "", /^rolling-upgrade on prod {2}r1 {2}partial/);
    assert.equal(stages, "[x] preflight  [x] workers 200/200  [ ] final");
    assert.equal(rest.length, 28, lines.join("\n"));
    for (const line of rest.slice(0, -2)) assert.match(line, done);
    assert.deepEqual(rest.slice(-2), [
      "200 nodes: 1 failed, 199 done",
      "status 0",
    ]);
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
