import assert from "node:assert/strict";
import { needs } from "../_needs.ts";
import { quick, type RunHome } from "../commands/runbook/_home.ts";
import { restarts, startIn, withSlowHome } from "./_runs.ts";
import { type Terminal, withTerminal } from "./_terminal.ts";

const main = new URL("../../mod.ts", import.meta.url).pathname;

/** Asks before, while a node is inside, and where data is lost. */
const asking = quick.replace(
  "      - { id: cordon, run: node.cordon }\n",
  `      - { id: cordon, run: node.cordon }
      - { id: look, approve: { tag: look, message: "Is it fine?" } }
`,
).replace(
  "outputs:",
  `  - id: lose
    approve: { tag: wipe, message: "Lose it?", destructive: true, typed: "\${{ cluster.name }}" }
outputs:`,
);

/** Runs a runbook in a terminal. */
async function inTerminal(
  home: RunHome,
  words: readonly string[],
  test: (terminal: Terminal) => Promise<void>,
  command = "run",
) {
  const env = {
    PATH: Deno.env.get("PATH") ?? "",
    HOME: Deno.env.get("HOME") ?? "",
    DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
    OSCONFIG: home.osconfig,
    OS_HOME: home.home,
    USER: "eve",
  };
  const deno = `'${Deno.execPath()}' run -A --quiet --no-check '${main}'`;
  const line = `${deno} runbook ${command} ${
    words.join(" ")
  }; echo status $?; sleep 60`;
  await withTerminal(["bash", "-c", line], env, test, {
    columns: 120,
    rows: 50,
  });
}

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ...needs("tmux"), fn });
}

test("questions of a run are asked below its drawing, and answers leave it whole", async () => {
  await withSlowHome(async (home) => {
    const file = await home.write(asking);
    await inTerminal(home, [file], async (terminal) => {
      await terminal.shows(
        /● Approval {2}[^]*\n○ simulated-worker-2 +queued .*\nTouch 2 workers\?\nApprove "start"\? \(y\/n\): *$/m,
      );
      await terminal.type("perhaps", "Enter");
      await terminal.shows(/: perhaps\nApprove "start"\? \(y\/n\): *$/m);
      await terminal.type("yes", "Enter");
      await terminal.shows(
        /^○ simulated-worker-2 +queued [^]*\n *Is it fine\?\n *Approve "look"/m,
      );
      await terminal.type("y", "Enter");
      await terminal.shows(
        /^Type "simulated" to approve "wipe", anything else to refuse: *$/m,
      );
      await terminal.type("simulated", "Enter");
      await terminal.shows(/^status 0$/m);
      const lines = await terminal.all();
      const at = lines.findIndex((line) => line.endsWith("refuse: simulated"));
      assert.match(
        lines[at + 1] ?? "",
        / approval wipe: approved by eve@/,
      );
      // The report takes the place of the rows, so that nothing is told twice.
      assert.equal(lines[at + 2], "quick on simulated succeeded");
      assert.equal(lines[at + 4], "2 nodes: 2 done");
      const question = lines.filter((line) =>
        line.includes("Touch 2 workers?")
      );
      assert.deepEqual(question, ["Touch 2 workers?"]);
      // No drawing is left above an answered question.
      const left = lines.filter((line) =>
        /^[○●✓] simulated-worker-\d /.test(line)
      );
      assert.deepEqual(left, []);
      const asked = lines.filter((line) => line.startsWith("Approve "));
      assert.deepEqual(asked, [
        'Approve "start"? (y/n): perhaps',
        'Approve "start"? (y/n): yes',
        'Approve "look"? (y/n): y',
      ]);
    });
  });
});

test("a question is answered from another terminal while it is asked", async () => {
  await withSlowHome(async (home) => {
    const file = await home.write(quick);
    await inTerminal(home, [file], async (terminal) => {
      await terminal.shows(/^Approve "start"\? /m);
      const [id = ""] = await home.ids();
      const words = ["runbook", "approve", id, "start"];
      const { status, err } = await startIn(home, words).ended();
      assert.equal(status, 0, err);
      await terminal.shows(/^status 0$/m);
      const lines = await terminal.all();
      assert.ok(
        lines.some((line) => / approval start: approved by /.test(line)),
      );
    });
  });
});

test("a run is watched on the whole screen, approved and looked into by keys", async () => {
  await withSlowHome(async (home) => {
    const file = await home.write(quick);
    await inTerminal(home, [file], async (terminal) => {
      await terminal.shows(/^Approve "start"\? /m);
      const watch = inTerminal(home, [], async (other) => {
        await other.shows(
          /\n> ○ simulated-worker-1 +queued[^]*\n {2}a approves, r refuses/,
        );
        await other.type("a");
        await other.shows(/^Touch 2 workers\? Approve "start"\? \(y\/n\)/m);
        await other.type("y");
        await terminal.shows(/^status 0$/m);
        await other.shows(/^quick on simulated +succeeded/m);
        await other.type("j", "Enter");
        await other.shows(/^Steps\n {2}✓ cordoning[^]*\nLog\n/m);
        await other.type("q");
        await other.shows(/^status 0$/m);
      }, "watch");
      await watch;
    });
  });
});

test("a refusal at the terminal ends a run with status 7", async () => {
  await withSlowHome(async (home) => {
    const file = await home.write(quick);
    await inTerminal(home, [file], async (terminal) => {
      await terminal.shows(/^Approve "start"\? /m);
      await terminal.type("no", "Enter");
      await terminal.shows(/^status 7$/m);
    });
  });
});

test("Ctrl-C at a question stops the run: status 75, and resume asks again", async () => {
  await withSlowHome(async (home) => {
    const file = await home.write(quick);
    await inTerminal(home, [file], async (terminal) => {
      await terminal.shows(/^Approve "start"\? /m);
      await terminal.type("C-c");
      await terminal.shows(/^status 75$/m);
    });
    assert.equal(
      (await startIn(home, ["runbook", "resume"]).ended()).status,
      76,
    );
  });
});

for (const [flag, ends] of [["--detach", "succeeded"], ["", "stopped"]]) {
  test(
    `a run whose terminal is closed has ${ends} ${flag}`.trim(),
    async () => {
      await withSlowHome(async (home) => {
        const runbook = await home.write(restarts);
        await inTerminal(
          home,
          [runbook, "--yes", flag ?? ""],
          async (terminal) => {
            await terminal.shows(
              /^● simulated-worker-1 +/m,
            );
          },
        );
        const [id = ""] = await home.ids();
        const lock = `${home.home}/runs/${id}/lock`;
        using file = await Deno.open(lock, { read: true, write: true });
        await file.lock(true);
        const found = (await home.journal()).filter(({ type }) =>
          type === "run.end"
        );
        assert.deepEqual(found.map(({ data }) => data?.state), [ends]);
      });
    },
  );
}

const player = new URL("_play_run.ts", import.meta.url).pathname;

for (const [nodes, ms] of [[5, 30], [200, 1]] as const) {
  Deno.test({
    name:
      `a run over ${nodes} nodes never clears the screen, and a drawing is no more than the screen holds`,
    ...needs("script"),
    async fn() {
      const [columns, rows] = [200, 30];
      const play =
        `stty cols ${columns} rows ${rows}; '${Deno.execPath()}' run -A --quiet '${player}' ${nodes} ${ms}`;
      const { stdout } = await new Deno.Command("script", {
        args: ["-qfec", play, "/dev/null"],
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(stdout);
      // Neither the whole screen nor the alternate one.
      for (const sequence of ["[2J", "[3J", "c", "[?1049h", "[H"]) {
        assert.ok(!text.includes(`\x1b${sequence}`), sequence);
      }
      const drawings = text.split("\x1b[?7l").slice(1);
      assert.ok(drawings.length > 3);
      const longest = Math.max(...drawings.map(({ length }) => length));
      assert.ok(longest < columns * rows, `${longest}`);
    },
  });
}
