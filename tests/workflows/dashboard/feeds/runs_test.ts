import assert from "node:assert/strict";
import {
  type RunDetail,
  runFeeds,
} from "../../../../workflows/dashboard/feeds/runs.ts";
import type { FeedContext } from "../../../../workflows/dashboard/feed.ts";
import { openRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { pause } from "../../../../lib/pause.ts";
import { withFolder } from "../../../_folder.ts";
import { event } from "../../runbooks/report/_streams.ts";
import { makeRun, started } from "../../runbooks/store/_runs.ts";

const id = "20261120-7k2f";
const at = "2026-11-20T19:30:00.000Z";

/** Reads a feed as the dashboard does, until it is told to stop. */
function context<T>(signal: AbortSignal) {
  // It asks no node.
  return { signal, pause: () => pause(10, signal) } as unknown as FeedContext<
    T
  >;
}

Deno.test("the list of runs and a run from inside agree about a process that was killed, and about the next one", () =>
  withFolder({}, async (runs) => {
    await makeRun(runs, {
      records: [started, {
        type: "enter",
        path: "workers",
        node: "w-1",
        entry: 1,
      }],
      events: [
        event("run.planned", 0, { data: { runbook: "demo" } }),
        event("run.started", 1),
        event("node.entered", 2, { path: "workers", node: "w-1" }),
        event("step.start", 2, { path: "workers/drain", node: "w-1" }),
      ],
    });
    const over = new AbortController();
    const feeds = runFeeds(runs);
    const states = async () => {
      const [list, detail] = [feeds.list, feeds.detail(id)];
      for await (const [line] of list.open(context(over.signal))) {
        let last: RunDetail | undefined;
        const seen = new Set<string>();
        const inside = new AbortController();
        for await (const one of detail.open(context(inside.signal))) {
          last = one;
          seen.add(one.run.state);
          // That is the last event.
          if (one.run.nodes[0]?.step === "drain") inside.abort();
        }
        const { ended, nodes = [] } = last?.run ?? {};
        const [node] = nodes;
        return [line?.state, [...seen], node?.state, ended, node?.ended];
      }
      return [];
    };
    const endedAt = Date.parse(at) + 2_000;
    assert.deepEqual(await states(), [
      "interrupted",
      ["interrupted"],
      "interrupted",
      endedAt,
      endedAt,
    ]);
    {
      using open = await openRun(runs, id, () => new Date(at));
      assert.deepEqual(await states(), [
        "running",
        ["running"],
        "running",
        undefined,
        undefined,
      ]);
      await open.journal.append({
        type: "run.end",
        data: { state: "failed", status: 0 },
      });
    }
    assert.deepEqual((await states()).slice(0, 2), ["failed", ["failed"]]);
  }));
