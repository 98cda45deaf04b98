import assert from "node:assert/strict";
import {
  logTail,
  services,
} from "../../../../workflows/dashboard/feeds/all.ts";
import type { Reading } from "../../../../workflows/dashboard/feed.ts";
import { servicesPage } from "../../../../workflows/dashboard/pages/services.ts";
import { makeData, noon, pageContext, renderPage } from "../_data.ts";

const node = "10.0.0.2";

const at = (secondsAgo: number) =>
  new Date(noon - secondsAgo * 1_000).toISOString();

const known = [
  {
    id: "apid",
    state: "Running",
    isHealthy: true,
    healthMessage: "",
    events: [
      { state: "Starting", message: "Starting service", time: at(180) },
      { state: "Running", message: "Health check successful", time: at(120) },
    ],
  },
  { id: "dashboard", state: "Running", isHealthy: undefined },
  {
    id: "kubelet",
    state: "Failed",
    isHealthy: false,
    healthMessage: "connection refused",
    events: [{ state: "Failed", message: "exit code 1", time: at(5) }],
  },
];

const data = makeData([
  [node, services, { value: known }],
  [node, logTail("kubelet"), {
    value: { lines: ["first", "level=error second"], dropped: 0 },
  }],
]);

Deno.test("Services lists the services of a node with their last events", () => {
  const context = pageContext(data);
  assert.deepEqual(renderPage(servicesPage, context), [
    "SERVICE    STATE    HEALTH     CHANGED        LAST EVENT",
    "apid       Running  healthy    2 minutes ago  Health check successful",
    "dashboard  Running  -          -",
    "kubelet    Failed   unhealthy  5 seconds ago  exit code 1",
  ]);
  const latest = { ...context, place: { ...context.place, sort: "-CHANGED" } };
  assert.deepEqual(
    servicesPage.draw(latest).rows.map(({ id }) => id),
    ["kubelet", "apid", "dashboard"],
  );
  assert.deepEqual(servicesPage.needs(context), [{ node, feed: services }]);
});

Deno.test("Services shows one service with its events and its log", () => {
  const context = pageContext(data, { path: ["kubelet"] });
  assert.deepEqual(renderPage(servicesPage, context), [
    "SERVICE kubelet   HEALTH     unhealthy",
    "STATE   Failed    LAST CHECK connection refused",
    "Events",
    "Failed  5 seconds ago  exit code 1",
    "Log of kubelet",
    "first",
    "level=error second",
  ]);
  assert.equal(servicesPage.draw(context).kind, "log");
  assert.deepEqual(servicesPage.needs(context), [
    { node, feed: services },
    { node, feed: logTail("kubelet") },
  ]);
});

Deno.test("a list says whether it waits, is empty, or has nothing with the text of the filter", () => {
  const draw = (reading: Reading<unknown>, filter = "") => {
    const context = pageContext(makeData([[node, services, reading]]));
    const place = { ...context.place, filter };
    return renderPage(servicesPage, { ...context, place }).at(-1);
  };
  assert.equal(draw({}), "Waiting for the node");
  assert.equal(draw({ value: [] }), "Nothing to list");
  assert.equal(
    draw({ value: known }, "xyz"),
    "No line has this text; Esc shows all",
  );
  assert.match(draw({ problem: "connection refused" })!, /^SERVICE /);
});
