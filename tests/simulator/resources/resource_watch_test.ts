import assert from "node:assert/strict";
import { createResources } from "../../../simulator/resources/resources.ts";
import { watch } from "../../../simulator/resources/resource_watch.ts";
import {
  EventType,
  LabelTerm_Operation as Op,
  WatchRequest,
} from "../../../transport/gen/cosi_resource.ts";
import { stopped } from "../_node.ts";

const kind = { namespace: "n", type: "T.x" };
const cookie = new Uint8Array(8);
const options = (given: object) =>
  WatchRequest.fromPartial({ ...kind, options: given, apiVersion: 1 });

/** Groups of events up to `count`, as text. */
async function groups(
  resources: ReturnType<typeof createResources>,
  request: WatchRequest,
  count: number,
) {
  const stop = new AbortController();
  const seen: string[][] = [];
  for await (
    const events of watch(resources, request, { cookie, signal: stop.signal })
  ) {
    seen.push(events.map(({ eventType, resource, error }) => {
      const [name] = Object.entries(EventType).find(([, value]) =>
        value === eventType
      )!;
      return `${name} ${error ?? resource?.metadata?.id}`;
    }));
    if (seen.length === count) stop.abort();
  }
  return seen;
}

Deno.test("an aggregated watch sends its contents together", async () => {
  const resources = createResources(stopped);
  for (const id of ["b", "a"]) resources.put({ ...kind, id }, { spec: {} });
  const request = options({ bootstrapContents: true, aggregated: true });
  assert.deepEqual(await groups(resources, request, 1), [[
    "CREATED a",
    "CREATED b",
    "BOOTSTRAPPED ",
  ]]);
});

Deno.test("a watch of labels sees resources come and go as their labels change", async () => {
  const resources = createResources(stopped);
  const put = (id: string, ...labels: string[]) =>
    resources.put({ ...kind, id }, {
      spec: {},
      labels: Object.fromEntries(labels.map((label) => [label, ""])),
    });
  put("other");
  put("a", "wanted");
  put("a", "wanted", "more");
  put("a");
  put("a", "wanted");
  resources.put({ ...kind, type: "U.x", id: "z" }, {
    spec: {},
    labels: { wanted: "" },
  });
  resources.remove({ ...kind, id: "a" });
  const term = { key: "wanted", op: Op.EXISTS };
  const request = options({ tailEvents: 100, labelQuery: [{ terms: [term] }] });
  assert.deepEqual((await groups(resources, request, 5)).flat(), [
    "CREATED a",
    "UPDATED a",
    "DESTROYED a",
    "CREATED a",
    "DESTROYED a",
  ]);
});

Deno.test("a watch that falls behind is told so, and ends", async () => {
  const resources = createResources(stopped);
  const events = watch(resources, options({}), {
    cookie,
    signal: new AbortController().signal,
  })[Symbol.asyncIterator]();
  const first = events.next();
  resources.put({ ...kind, id: "a" }, { spec: {} });
  await first;
  for (let count = 0; count < 3000; count++) {
    resources.put({ ...kind, id: "a" }, { spec: {} });
  }
  const { value } = await events.next();
  assert.deepEqual(
    value?.map((
      { eventType, error }: { eventType: number; error?: string },
    ) => [eventType, error]),
    [[EventType.ERRORED, 'buffer overrun: namespace "n" type "T.x"']],
  );
  assert.equal((await events.next()).done, true);
});

Deno.test("options that cannot be combined are refused", () => {
  const start = (request: WatchRequest) => () =>
    watch(createResources(stopped), request, {
      cookie,
      signal: new AbortController().signal,
    });
  assert.throws(start(options({ bootstrapContents: true, tailEvents: 1 })), {
    code: "UNKNOWN",
  });
  assert.throws(
    start(options({ startFromBookmark: new Uint8Array(16), tailEvents: 1 })),
    { code: "UNKNOWN" },
  );
  assert.throws(start({ ...options({ bootstrapContents: true }), id: "a" }), {
    code: "UNIMPLEMENTED",
  });
  assert.throws(start(options({ startFromBookmark: new Uint8Array(3) })), {
    code: "FAILED_PRECONDITION",
  });
});
