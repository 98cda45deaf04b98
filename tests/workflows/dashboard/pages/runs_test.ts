import assert from "node:assert/strict";
import {
  resources,
  runFeeds,
} from "../../../../workflows/dashboard/feeds/all.ts";
import { runsPage } from "../../../../workflows/dashboard/pages/runs.ts";
import { startAction } from "../../../../workflows/dashboard/prompt.ts";
import { firstState } from "../../../../workflows/dashboard/state.ts";
import {
  dashboardContext,
  makeData,
  makeMap,
  pageContext,
  renderPage,
} from "../_data.ts";

Deno.test("Runs marks a run of another cluster, and does not resume it", () => {
  const [id, node] = ["20260301-ab12", "10.0.0.2"];
  const runs = runFeeds("/nowhere");
  const run = {
    id,
    runbook: "rolling-upgrade",
    cluster: "lab",
    clusterId: "lab-id",
    state: "interrupted",
    at: "2026-03-01T11:55:00Z",
    operator: "eve",
    isRunning: false,
    next: `osctl runbook resume ${id}`,
  };
  const seen = (info: string) => {
    const data = makeData([
      ["", runs.list, { value: [run] }],
      [node, resources("cluster", "Infos.cluster", "current"), {
        value: makeMap({ current: info }),
      }],
    ]);
    const page = pageContext(data, { columns: 120, runs });
    const press = (key: string) =>
      startAction(
        { ...firstState([node]), page: runsPage },
        key,
        dashboardContext(data),
      );
    return [
      renderPage(runsPage, page)[1]?.split("  ").at(-1),
      press("r")?.prompt?.text ?? press("r")?.message,
      press("s")?.prompt?.text,
    ];
  };
  const stop = `runbook stop ${id}`;
  const own = ["r resumes it", `runbook resume ${id}`, stop];
  assert.deepEqual(seen("clusterId: lab-id\n"), own);
  // Until the node says which cluster it is in, every run may be of it.
  assert.deepEqual(seen("{}\n"), own);
  assert.deepEqual(seen("clusterId: other\n"), [
    "other cluster",
    `Run ${id} belongs to cluster lab: resume it in a dashboard with --context NAME`,
    stop,
  ]);
});
