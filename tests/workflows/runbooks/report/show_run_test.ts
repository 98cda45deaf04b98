import assert from "node:assert/strict";
import {
  runDisplay,
  type ShownRun,
  showRun,
} from "../../../../workflows/runbooks/report/show_run.ts";
import { RunState } from "../../../../workflows/runbooks/report/run_state.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { growth, proportional } from "../../../_scaling.ts";
import { goldenStream } from "./_streams.ts";

/** A place that keeps what is shown there. */
function place(terminal: boolean) {
  const notes: string[] = [];
  const drawn: (readonly string[])[] = [];
  let left = 0;
  const live = {
    size: () => ({ columns: 80, rows: 24 }),
    draw: (lines: readonly string[]) => Promise.resolve(void drawn.push(lines)),
    paint: (text: string) => text,
    color() {},
    leave: () => Promise.resolve(void left++),
    alone: () => Promise.reject(new Error("Nobody asks")),
  };
  const where: ShownRun = {
    note: (text) => void notes.push(text),
    environment: {
      now: () => new Date("2026-11-20T19:31:00Z"),
      ...terminal ? { live } : {},
    },
    wait: (_, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
  return { where, notes, drawn, left: () => left };
}

async function* replayEvents(
  events: readonly RunEvent[],
): AsyncGenerator<RunEvent> {
  yield* events;
  await Promise.resolve();
}

Deno.test("showRun draws on a terminal, with what must not scroll away above, and leaves the end standing", async () => {
  const { where, notes, drawn, left } = place(true);
  await showRun(replayEvents(await goldenStream("stopped")), where);
  assert.deepEqual(notes, [
    "20:30:01 waiting: the window opens on Monday at 20:00",
    "20:30:05 interrupted: stopping after w-1 (rebooting), w-2 (installing)",
    "20:30:06 the run has lost its lock on the cluster: the Kubernetes API does not answer",
  ]);
  assert.equal(
    drawn.at(-1)?.[0],
    "rolling-upgrade on prod  stopped 1m0s, since 20:30 UTC  run 20261120-7k2f",
  );
  assert.equal(left(), 1);
});

Deno.test("showRun leaves a run whose process was killed as interrupted", async () => {
  const { where, drawn } = place(true);
  const events = (await goldenStream("stopped")).slice(0, 6);
  const moment = () =>
    Promise.resolve(
      {
        condition: "interrupted",
        at: Date.parse("2026-11-20T20:30:04Z"),
      } as const,
    );
  await showRun(replayEvents(events), { ...where, moment });
  assert.equal(
    drawn.at(-1)?.[0],
    "rolling-upgrade on prod  interrupted 4s, since 20:30 UTC  run 20261120-7k2f",
  );
});

Deno.test("runDisplay takes time in proportion to the events of 500 nodes", async () => {
  const nodes = Array.from({ length: 500 }, (_, i) => `w-${i}`);
  const head = { v: 1, seq: 1, ts: "2026-11-20T19:30:00Z", run: "r" } as const;
  const grown = await growth(async (steps) => {
    const state = new RunState();
    const display = runDisplay(place(true).where, state);
    const take = (event: RunEvent) => {
      state.take(event);
      display.take(event);
    };
    for (const node of nodes) {
      take({ ...head, type: "node.entered", path: "workers", node, data: {} });
    }
    for (let step = 0; step < steps; step++) {
      for (const node of nodes) {
        const path = `workers/node/step-${step}`;
        take({
          ...head,
          type: "step.start",
          path,
          node,
          data: { verb: "run" },
        });
        take({ ...head, type: "step.done", path, node, data: {} });
      }
    }
    await display.end();
  }, 10);
  assert.ok(grown < proportional, `${grown}`);
});
