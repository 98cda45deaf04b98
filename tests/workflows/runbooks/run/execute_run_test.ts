import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { ClaimedSignal } from "../../../../commands/_kit/command.ts";
import { CancelledError } from "../../../../errors.ts";
import type { RunOptions } from "../../../_run.ts";
import { leaveMessage } from "../../../../workflows/runbooks/store/inbox.ts";
import {
  quick,
  runbook,
  type RunHome,
  withRunHome,
} from "../../../commands/runbook/_home.ts";

/** Events as they are given, and signals for when one of them has been. */
function listening(
  when: RegExp,
  then: (signalled: ClaimedSignal) => void | Promise<void>,
) {
  let take: ClaimedSignal = () => undefined;
  let done = false;
  const options: RunOptions = {
    claimSignals: (given) => void (take = given),
    onWrite(out) {
      if (done || !when.test(out)) return;
      done = true;
      then(take);
    },
  };
  return options;
}

const inside = /"step\.start","path":"workers\/cordon"/;

async function run(
  { osctl, write }: RunHome,
  options: RunOptions,
  text = quick,
) {
  const file = await write(text);
  const line = ["runbook", "run", file, "--yes", "-o", "jsonl"];
  return await osctl(line, options);
}

Deno.test("executeRun stops after an interrupt when the node inside is through: status 75", async () => {
  await withRunHome(async (home) => {
    const { status, out, err } = await run(
      home,
      listening(inside, (signalled) => void signalled("SIGINT")),
    );
    assert.equal(status, 75, err);
    // The report says it; what the user asked for is no error.
    assert.doesNotMatch(err, /error/);
    const [id] = await home.ids();
    const journal = await Deno.readTextFile(
      `${home.home}/runs/${id}/journal.jsonl`,
    );
    assert.match(
      journal,
      /"type":"stop","data":\{"hard":false,"by":"[^"]+@[^"]+","reason":"interrupt"\}/,
    );
    assert.match(
      out,
      /"run\.stopping","data":\{"reason":"interrupt","waiting":\[\{"node":"simulated-worker-1","until":"workers\/cordon"\}\]\}/,
    );
    assert.doesNotMatch(
      out,
      /"path":"workers\/\w+","node":"simulated-worker-2"/,
    );
    const resumed = await home.osctl(["runbook", "resume", `${id}`]);
    assert.equal(resumed.status, 0, resumed.err);
  });
});

Deno.test("executeRun waits for nothing after two signals, and a run that was left continues later", async () => {
  const slow = runbook(`  - { id: rest, sleep: 1h }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps: [{ id: cordon, run: node.cordon }]
`);
  await withRunHome(async (home) => {
    for (
      const [signal, expected] of [["SIGINT", 130], ["SIGTERM", 143]] as const
    ) {
      const { status, out } = await run(
        home,
        listening(/"step\.start","path":"rest"/, (signalled) => {
          signalled(signal);
          signalled(signal);
        }),
        slow,
      );
      assert.equal(status, expected);
      assert.match(
        out.trimEnd(),
        /"run\.ended","data":\{"state":"interrupted","status":130\}\}$/,
      );
      const [id = ""] = await home.ids();
      await Deno.remove(`${home.home}/runs/${id}`, { recursive: true });
    }
  });
});

Deno.test("executeRun ends a sleep at once when told to stop from elsewhere, and SIGTERM in time is status 75", async () => {
  const slow = runbook("  - { id: rest, sleep: 1h }\n");
  await withRunHome(async (home) => {
    const sleeping = /"step\.start","path":"rest"/;
    const first = await run(
      home,
      listening(sleeping, (signalled) => void signalled("SIGTERM")),
      slow,
    );
    assert.equal(first.status, 75, first.err);
    const [id = ""] = await home.ids();
    const folder = `${home.home}/runs/${id}`;
    const second = await home.osctl(
      ["runbook", "resume", id, "-o", "jsonl"],
      listening(/"run\.resumed"/, async () => {
        const at = new Date(Date.now() + 1).toISOString();
        await leaveMessage(folder, {
          type: "stop",
          hard: false,
          by: "ann",
          at,
        });
      }),
    );
    assert.equal(second.status, 75, second.err);
    assert.match(second.out, /"run\.stopping","data":\{"reason":"stop"/);
  });
});

Deno.test("executeRun continues when nothing reads its output any more", async () => {
  await withRunHome(async (home) => {
    const { err } = await run(home, {
      onWrite() {
        throw new Deno.errors.BrokenPipe("closed");
      },
    });
    const [id = ""] = await home.ids();
    const ends = (await home.journal(id)).filter(({ type }) =>
      type === "run.end"
    );
    assert.deepEqual(ends.map(({ data }) => data?.state), ["succeeded"], err);
    const kept = await Deno.readTextFile(
      `${home.home}/runs/${id}/events.jsonl`,
    );
    assert.match(kept, /"type":"run\.ended"/);
    assert.match(err, new RegExp(`\nRun "${id}" has ended: succeeded\n$`));
  });
});

Deno.test("executeRun has the status of the run, also when nothing reads its output any more", async () => {
  await withRunHome(async (home) => {
    const failing =
      '  - { id: no, assert: { that: "1 > 2", message: Never } }\n';
    const { status, err } = await run(home, {
      onWrite() {
        throw new Deno.errors.BrokenPipe("closed");
      },
    }, runbook(failing));
    assert.equal(status, 5, err);
    assert.match(
      err,
      /\nRun "[^"]+" has ended: blocked\nerror: Run "[^"]+" is blocked: a safety rule refused a step, or a step is in doubt\n$/,
    );
  });
});

Deno.test("executeRun takes an approval that somebody left before", async () => {
  await withRunHome(async ({ osctl, write, ids, home }) => {
    const file = await write(quick);
    assert.equal((await osctl(["runbook", "run", file])).status, 76);
    const [id = ""] = await ids();
    await leaveMessage(`${home}/runs/${id}`, {
      type: "approve",
      tag: "start",
      approved: true,
      by: "ann@lab",
      at: new Date().toISOString(),
    });
    const { status, err } = await osctl(["runbook", "resume", id]);
    assert.equal(status, 0, err);
    assert.match(err, /approval start: approved by ann@lab/);
  });
});

Deno.test("executeRun ends with status 7 when the approval was refused", async () => {
  await withRunHome(async ({ osctl, write, ids, home }) => {
    const file = await write(quick);
    await osctl(["runbook", "run", file]);
    const [id = ""] = await ids();
    await leaveMessage(`${home}/runs/${id}`, {
      type: "approve",
      tag: "start",
      approved: false,
      by: "ann@lab",
      at: new Date().toISOString(),
    });
    const { status, out } = await osctl(["runbook", "resume", id]);
    assert.equal(status, 7, out);
    assert.match(out, /"start" was refused by ann@lab/);
  });
});

Deno.test("executeRun begins nothing when a signal has come before it was listening: status 143, and it continues", async () => {
  await withRunHome(async (home) => {
    const came = new AbortController();
    const { status, err } = await run(home, {
      signal: came.signal,
      claimSignals() {},
      now() {
        if (existsSync(`${home.home}/runs`)) {
          came.abort(new CancelledError("SIGTERM"));
        }
        return new Date();
      },
    }, runbook("  - { id: rest, sleep: 1ms }\n"));
    assert.equal(status, 143, err);
    const [id = ""] = await home.ids();
    const records = await home.journal();
    assert.deepEqual(records.map(({ type }) => type), ["run.header"]);
    const resumed = await home.osctl(["runbook", "resume", id]);
    assert.equal(resumed.status, 0, resumed.err);
  });
});
