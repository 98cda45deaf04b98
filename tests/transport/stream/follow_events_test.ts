import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { followEvents } from "../../../transport/stream/follow_events.ts";
import { fakeNodes } from "../../_fake.ts";

type Request = Readonly<Record<string, unknown>>;

/** Follows a node; each attempt gives the ids of its events, and the last one ends it all. */
async function follow(
  attempts: readonly (readonly string[])[],
  { boots = ["1"], clock = [0], request = {}, hello = {} }: {
    readonly boots?: readonly string[];
    readonly clock?: readonly number[];
    readonly request?: Request;
    readonly hello?: unknown;
  } = {},
) {
  const requests: Request[] = [];
  const user = new AbortController();
  const { nodes } = fakeNodes({
    a: {
      async *events({ tailEvents, tailId, tailSeconds, withActorId }: Request) {
        requests.push({ tailEvents, tailId, tailSeconds, withActorId });
        await Promise.resolve();
        yield hello;
        for (const id of attempts[requests.length - 1] ?? []) {
          yield { id, data: { typeUrl: "x" } };
        }
        if (requests.length === attempts.length) user.abort();
        throw new RpcError("UNAVAILABLE", "connection reset");
      },
    },
  }, user.signal);
  const seen: string[] = [];
  let asked = 0;
  let ticks = 0;
  const followed = followEvents(await nodes.only("x"), {
    request,
    signal: user.signal,
    checkMs: 0,
    wait: () => Promise.resolve(),
    bootId: () => Promise.resolve(boots[Math.min(asked++, boots.length - 1)]),
    now: () => new Date(clock[Math.min(ticks++, clock.length - 1)] ?? 0),
  });
  for await (const one of followed) {
    seen.push(one.kind === "item" ? one.item.id : one.reason);
  }
  return { seen, requests };
}

const nothing = { tailEvents: 0, tailId: "", tailSeconds: 0, withActorId: "" };

Deno.test("followEvents continues after the last event seen, none twice", async () => {
  const { seen, requests } = await follow([["e1", "e2"], ["e2", "e3"]], {
    request: { tailEvents: 5, withActorId: "actor" },
  });
  assert.deepEqual(seen, ["e1", "e2", "connection lost", "e3"]);
  assert.deepEqual(requests, [
    { ...nothing, tailEvents: 5, withActorId: "actor" },
    { ...nothing, tailId: "e2", withActorId: "actor" },
  ]);
});

Deno.test("followEvents reads all that a node has after a reboot", async () => {
  const { seen, requests } = await follow([["e1"], ["e1", "e2"]], {
    boots: ["1", "2"],
    request: { withActorId: "actor" },
  });
  assert.deepEqual(seen, ["e1", "node rebooted", "e1", "e2"]);
  assert.deepEqual(requests[1], {
    ...nothing,
    tailEvents: -1,
    withActorId: "actor",
  });
});

Deno.test("followEvents asks for the time since it began when no event came so far", async () => {
  const { requests } = await follow([[], ["e1"]], {
    // Before, at the greeting, at the break, and when it asks again.
    clock: [0, 10_000, 12_000, 14_500],
  });
  assert.deepEqual(requests[1], { ...nothing, tailSeconds: 5 });
});

Deno.test("followEvents passes over the greeting, and takes its place in time", async () => {
  const { seen, requests } = await follow([[], ["e1"]], {
    hello: { id: "h1", data: { typeUrl: "" } },
  });
  assert.deepEqual(seen, ["connection lost", "e1"]);
  assert.deepEqual(requests[1], { ...nothing, tailId: "h1" });
});

Deno.test("followEvents remembers the last thousand events", async () => {
  const many = Array.from({ length: 1_001 }, (_, i) => `e${i}`);
  const { seen } = await follow([many, ["e1", "e1000", "e0"]]);
  assert.deepEqual(seen.slice(1_001), ["connection lost", "e0"]);
});

Deno.test("followEvents fails when the node refuses at once", async () => {
  const { nodes } = fakeNodes({
    a: {
      // deno-lint-ignore require-yield
      async *events() {
        await Promise.resolve();
        throw new RpcError("PERMISSION_DENIED", "not authorized");
      },
    },
  });
  const { signal } = new AbortController();
  await assert.rejects(
    Array.fromAsync(followEvents(await nodes.only("x"), { signal })),
    new RpcError("PERMISSION_DENIED", "not authorized"),
  );
});
