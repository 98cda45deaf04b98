import assert from "node:assert/strict";
import { listRoutes } from "../../../simulator/services/handlers.ts";
import { TimeServiceDefinition } from "../../../transport/gen/time.ts";

Deno.test("a service has a route for each method, with a handler or without", () => {
  const time = () => ({ messages: [] });
  const routes = listRoutes(TimeServiceDefinition, { time }).map((
    { path, handler, isKnown },
  ) => [path, handler, isKnown]);
  assert.deepEqual(routes, [
    ["/time.TimeService/Time", time, true],
    ["/time.TimeService/TimeCheck", undefined, true],
  ]);
  assert.equal(listRoutes(TimeServiceDefinition)[0]!.isKnown, false);
});
