/** A folder that an earlier version has left: `recorded` was made by version 0.1.0, and is never made anew. */

import assert from "node:assert/strict";
import { foldRun } from "../../../../workflows/runbooks/report/run_state.ts";
import { junit } from "../../../../workflows/runbooks/report/junit.ts";
import {
  eventsPath,
  readEvents,
} from "../../../../workflows/runbooks/store/event_file.ts";
import { run } from "../../../_run.ts";
import { openBench } from "../_bench.ts";

const id = "20261127-8v9j";

/** Reads a file of the folder, or what was printed about it then. */
function record(name: string): Promise<string> {
  return Deno.readTextFile(new URL(`recorded/${name}`, import.meta.url));
}

/** Runs a test with a home that holds a copy of the folder. */
async function withRecorded(
  test: (home: string) => Promise<void>,
): Promise<void> {
  const home = await Deno.makeTempDir();
  try {
    const folder = `${home}/runs/${id}`;
    await Deno.mkdir(`${folder}/artifacts`, { recursive: true });
    for (
      const name of ["header.json", "ir.json", "journal.jsonl", "events.jsonl"]
    ) {
      await Deno.writeTextFile(
        `${folder}/${name}`,
        await record(`run/${name}`),
      );
    }
    await test(home);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

for (
  const [line, file] of [
    [`runbook status ${id}`, "status.txt"],
    [`runbook events ${id}`, "events.txt"],
    [`runbook events ${id} -o jsonl`, "run/events.jsonl"],
    ["runbook history -o json", "history.json"],
  ] as const
) {
  Deno.test(`${line} prints the run of an earlier version`, async () => {
    await withRecorded(async (home) => {
      const { out, status } = await run(line, {}, { env: { OS_HOME: home } });
      assert.equal(status, 0);
      assert.equal(out, await record(file));
    });
  });
}

/** What a document has of an earlier one. */
function alike(now: unknown, before: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(now)) {
    return before.map((one, i) => alike(now[i], one));
  }
  if (typeof before !== "object" || before === null) return now;
  const fields = new Map(Object.entries(now ?? {}));
  return Object.fromEntries(
    Object.entries(before).map((
      [name, value],
    ) => [name, alike(fields.get(name), value)]),
  );
}

Deno.test("runbook status -o json prints of an earlier version's run every field that version printed", async () => {
  await withRecorded(async (home) => {
    const line = `runbook status ${id} -o json`;
    const { out } = await run(line, {}, { env: { OS_HOME: home } });
    const before = JSON.parse(await record("status.json"));
    assert.deepEqual(alike(JSON.parse(out), before), before);
  });
});

Deno.test("junit writes the run of an earlier version", async () => {
  await withRecorded(async (home) => {
    const events = readEvents(eventsPath(`${home}/runs/${id}`));
    assert.equal(
      junit(foldRun(await Array.fromAsync(events))),
      await record("junit.xml"),
    );
  });
});

Deno.test("a run that an earlier version has left in the middle of a node is resumed there", async () => {
  await using bench = await openBench();
  const lines = new TextEncoder().encode(await record("interrupted.jsonl"));
  await bench.run(
    `
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
      - { id: restart, run: reboot }
      - { id: uncordon, run: node.uncordon }
`,
    {},
    // The journal of the earlier version takes the place of the first record.
    {
      killAt: 1,
      through: ({ write, sync }) => ({ sync, write: () => write(lines) }),
    },
  );
  const { verdict, events } = await bench.resume();
  assert.equal(verdict, "succeeded 0");
  const restarted = events.flatMap(({ type, path, node }) =>
    type === "step.start" && path === "workers/restart" ? [node] : []
  );
  assert.deepEqual(restarted, ["demo-worker-2"]);
});
