import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";
import { type Wire, withWire } from "../_wire.ts";

const runbook = `apiVersion: osctl/v1
kind: Runbook
name: steered
title: Ask, close a worker, and wait
policy: { lock: cluster }
groups:
  workers: { role: worker, order: [name] }
steps:
  - id: go
    approve: { tag: start, message: "Close the worker?", destructive: true, typed: lab }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1, maxFailures: 0 } }
    steps:
      - { id: close, run: node.cordon }
      - { id: never, gate: [{ check: k8s.object, with: { apiVersion: v1, kind: Pod, name: none, expr: "true" } }], within: 1h }
      - { id: open, run: node.uncordon }
  - { id: nap, sleep: 1h }
`;

/** A runbook that asks, waits and sleeps, and command lines about its run. */
function withRunbook(
  test: (
    wire: Wire & {
      readonly path: string;
      readonly status: () => Promise<Readonly<Record<string, unknown>>>;
    },
  ) => Promise<void>,
): Promise<void> {
  return withWire({ workers: 1 }, async (wire) => {
    const folder = wire.osconfig.slice(0, wire.osconfig.lastIndexOf("/"));
    const path = `${folder}/steered.runbook.yaml`;
    await Deno.writeTextFile(path, runbook);
    await test({
      ...wire,
      path,
      async status() {
        const { out, err } = await wire.osctl("runbook status last -o json");
        assert.equal(err, "");
        return JSON.parse(out);
      },
    });
  });
}

Deno.test("a run is answered, steered, stopped and aborted from other command lines", () =>
  withRunbook(async ({ osctl, path, status }) => {
    const asked = await osctl(["runbook", "run", path]);
    assert.equal(asked.status, 76, asked.err);
    assert.equal((await status()).state, "waiting-approval");
    const wrong = await osctl("runbook approve last --typed other");
    assert.equal(wrong.status, 5);
    const approved = await osctl("runbook approve last --typed lab");
    assert.equal(approved.status, 0, approved.err);

    const running = osctl("runbook resume last");
    const until = async (what: RegExp) => {
      while (!what.test(JSON.stringify(await status()))) await pause(50);
    };
    await until(/"state":"waiting","step":"never"/);
    const { residue, next } = await status();
    assert.deepEqual(
      [next, residue],
      [null, [{
        kind: "cordoned",
        node: "simulated-worker-1",
        message: "simulated-worker-1 is still cordoned",
      }]],
    );
    const events = osctl("runbook events last --follow -o jsonl");
    const skipped = await osctl([
      "runbook",
      "skip",
      "last",
      "never@simulated-worker-1",
      "--reason",
      "nobody needs it",
    ]);
    assert.equal(skipped.status, 0, skipped.err);
    await until(/"at":"nap"/);
    const gone = await osctl("runbook gc last --unfinished");
    assert.equal(gone.status, 5);

    const stopped = await osctl("runbook stop last --wait --reason lunch");
    assert.equal(stopped.status, 0, stopped.err);
    assert.match(stopped.out, /^run \S+ is stopped$/m);
    const resumed = await running;
    assert.equal(resumed.status, 75, resumed.err);
    assert.match(
      resumed.out,
      /^ {2}simulated-worker-1, checking: nobody needs it$/m,
    );
    const types = (await events).out.trimEnd().split("\n")
      .map((line) => JSON.parse(line).type);
    assert.equal(types.at(-1), "run.ended");

    const id = String((await status()).run);
    const other = await osctl(["runbook", "run", path]);
    assert.equal(other.status, 8);
    const given = await osctl([
      "runbook",
      "abort",
      "last",
      "--reason",
      "enough",
      "--typed",
      id,
      "-o",
      "json",
    ]);
    assert.equal(given.status, 0, given.err);
    assert.equal(JSON.parse(given.out).claim, "removed");
    const history = await osctl("runbook history -o json");
    const { state, done, failed } = JSON.parse(history.out);
    assert.deepEqual([state, done, failed], ["cancelled", 1, 0]);
    const again = await osctl(["runbook", "run", path]);
    assert.equal(again.status, 76, again.err);
    assert.equal((await osctl(["runbook", "gc", id])).status, 0);
  }));
