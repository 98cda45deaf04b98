/** The client against servers of three other makes. */

import assert from "node:assert/strict";
import type { ServerLimits } from "../../../bench/_fast_server.ts";
import {
  type Connection,
  NotSentError,
} from "../../../transport/connect/connection.ts";
import { dial } from "../../../transport/connect/dial.ts";
import { parseEndpoint } from "../../../transport/connect/endpoint.ts";
import { pause } from "../../../lib/pause.ts";
import { needs } from "../../_needs.ts";
import { never, readMessages } from "../_connection.ts";
import { end, ended, type Make, makes } from "./_other_servers.ts";

interface Trial {
  readonly name: string;
  readonly limits: (make: Make) => ServerLimits;
  /** The one make that is fast enough for it. */
  readonly only?: string;
  readonly run: (connection: Connection) => Promise<void>;
}

function call(
  connection: Connection,
  method: "Echo" | "Hold",
  request: Uint8Array | AsyncIterable<Uint8Array>,
  signal = never,
) {
  const path = `/test/${method}`;
  return readMessages(connection, { path, metadata: {}, request, signal });
}

async function* each(...messages: readonly Uint8Array[]) {
  yield* await Promise.resolve(messages);
}

async function echo(
  connection: Connection,
  request: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<readonly Uint8Array[]> {
  return await Array.fromAsync(call(connection, "Echo", request));
}

const some = new Uint8Array(5_000).fill(7);

/** 16 MiB, none of which looks like another part of it. */
const large = new Uint8Array(2 ** 24);
for (let i = 0; i < large.length; i += 4_099) large[i] = i % 251;

const trials: readonly Trial[] = [
  {
    name: "answers one message, many, and none",
    limits: () => ({}),
    async run(connection) {
      assert.deepEqual(await echo(connection, some), [some]);
      const many = Array.from({ length: 20 }, (_, i) => some.subarray(i * 100));
      assert.deepEqual(await echo(connection, each(...many)), many);
      assert.deepEqual(await echo(connection, each()), []);
    },
  },
  {
    name: "answers with a status alone, and with one amid the request",
    limits: () => ({}),
    async run(connection) {
      await assert.rejects(echo(connection, end), ended);
      const over = Promise.withResolvers<void>();
      async function* requests() {
        yield some;
        yield end;
        await over.promise;
      }
      const messages = call(connection, "Echo", requests());
      assert.deepEqual((await messages.next()).value, some);
      await assert.rejects(messages.next(), ended);
      over.resolve();
      assert.deepEqual(await echo(connection, some), [some]);
    },
  },
  {
    name: "takes and gives 16 MiB, and changes its window meanwhile",
    limits: () => ({}),
    async run(connection) {
      const [back, ...others] = await echo(connection, large);
      assert.deepEqual([back?.length, others.length], [large.length, 0]);
      assert.ok(back?.every((byte, i) => byte === large[i]));
    },
  },
  {
    name: "has the smallest window there is",
    limits: ({ smallestWindow: window }) => ({ window }),
    async run(connection) {
      const small = some.subarray(0, 200);
      assert.deepEqual(await echo(connection, each(small, small)), [
        small,
        small,
      ]);
    },
  },
  {
    name: "has the largest window there is",
    limits: () => ({ window: 2 ** 31 - 1 }),
    async run(connection) {
      const million = large.subarray(0, 1_000_000);
      assert.deepEqual(await echo(connection, million), [million]);
    },
  },
  {
    name: "says good-bye to a connection whose calls continue",
    limits: () => ({ maxAgeMs: 100 }),
    async run(connection) {
      const done = Promise.withResolvers<void>();
      async function* requests() {
        yield some;
        await done.promise;
        yield some;
      }
      const held = call(connection, "Echo", requests());
      assert.deepEqual((await held.next()).value, some);
      while (connection.usable) await pause(5);
      await assert.rejects(echo(connection, some), NotSentError);
      done.resolve();
      assert.deepEqual((await held.next()).value, some);
      assert.equal((await held.next()).done, true);
    },
  },
  {
    name: "is left by a storm of calls, and answers the next",
    limits: () => ({ maxStreams: 20 }),
    async run(connection) {
      const cancelled = Array.from({ length: 500 }, async (_, i) => {
        const stop = new AbortController();
        async function* requests() {
          yield some;
          await new Promise(() => {});
        }
        const held = call(connection, "Hold", requests(), stop.signal);
        // Some are open by then, some wait for their turn, some have an answer.
        if (i % 3 === 0) await held.next();
        else setTimeout(() => stop.abort(new Error("enough")), i % 7);
        if (i % 3 === 0) return await held.return(undefined);
        await assert.rejects(Array.fromAsync(held), /enough/);
      });
      await Promise.all(cancelled);
      assert.deepEqual(await echo(connection, some), [some]);
    },
  },
  {
    name: "serves ten thousand streams on a connection",
    limits: () => ({ maxStreams: 100 }),
    only: "grpc-go",
    async run(connection) {
      const one = new Uint8Array([1]);
      let answers = 0;
      const callers = Array.from({ length: 100 }, async () => {
        for (let i = 0; i < 100; i++) {
          const { length } = await echo(connection, one);
          answers += length;
        }
      });
      await Promise.all(callers);
      assert.equal(answers, 10_000);
    },
  },
];

for (const make of makes) {
  for (const { name, limits, only = make.name, run } of trials) {
    if (only !== make.name) continue;
    Deno.test({
      name: `${make.name} ${name}`,
      ...needs(...make.wants),
      async fn() {
        const { endpoint, identity, stop } = await make.start(limits(make));
        const connection = await dial({
          endpoint: parseEndpoint(endpoint),
          trust: { kind: "verified", identity },
          timeoutMs: 10_000,
          signal: never,
        });
        try {
          await run(connection);
        } finally {
          connection.close();
          await stop();
        }
      },
    });
  }
}
