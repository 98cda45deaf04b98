import assert from "node:assert/strict";
import fc from "fast-check";
import { RpcError } from "../../../errors.ts";
import { unreadAnswers } from "../../../transport/call/call.ts";
import { frame, type MessageReader } from "../../../transport/call/frames.ts";
import { Data } from "../../../transport/gen/common.ts";
import { type DataMessage, payload } from "../../../transport/call/payload.ts";

async function* of(...messages: DataMessage[]) {
  for (const message of messages) {
    await Promise.resolve();
    yield message;
  }
}

function data(text: string, error = ""): DataMessage {
  const bytes = new TextEncoder().encode(text);
  return { bytes, metadata: { error } };
}

Deno.test("payload gives the bytes of messages that have some", async () => {
  const chunks = await Array.fromAsync(
    payload(of(data("a"), data(""), data("b"))),
  );
  assert.deepEqual(chunks.map((chunk) => new TextDecoder().decode(chunk)), [
    "a",
    "b",
  ]);
});

Deno.test("payload raises what a message reports, after its bytes", async () => {
  const seen: number[] = [];
  await assert.rejects(async () => {
    const chunks = payload(of(data("ab"), data("c", "went wrong"), data("d")));
    for await (const chunk of chunks) seen.push(chunk.length);
  }, new RpcError("UNKNOWN", "went wrong"));
  assert.deepEqual(seen, [2, 1]);
});

Deno.test("payload hands reports to who asks for them and continues", async () => {
  const failures: string[] = [];
  const chunks = await Array.fromAsync(
    payload(of(data("", "one"), data("b"), data("", "two")), {
      reported: ({ message }) => failures.push(message),
    }),
  );
  assert.equal(chunks.length, 1);
  assert.deepEqual(failures, ["one", "two"]);
});

Deno.test("payload takes the status of a report over its text", async () => {
  const message = {
    bytes: new Uint8Array(),
    metadata: { error: "text", status: { code: 7, message: "not allowed" } },
  };
  await assert.rejects(
    Array.fromAsync(payload(of(message))),
    new RpcError("PERMISSION_DENIED", "not allowed"),
  );
});

/** Answers that come from a wire, in the pieces a test cuts. */
function onWire(bytes: Uint8Array, cuts: readonly number[]) {
  const pieces: Uint8Array[] = [];
  let rest = bytes;
  for (const cut of cuts) {
    pieces.push(rest.subarray(0, cut));
    rest = rest.subarray(cut);
  }
  pieces.push(rest);
  async function* read<T>(reader: MessageReader<T>) {
    const buffer = new Uint8Array(bytes.length);
    for (const piece of pieces) {
      await Promise.resolve();
      buffer.set(piece); // what came before is gone, as in a buffer for reading
      yield [
        ...reader.read(buffer.subarray(0, piece.length)),
        ...reader.flush?.() ?? [],
      ];
    }
    reader.end();
  }
  async function* none(): AsyncGenerator<Data> {}
  return Object.assign(none(), { [unreadAnswers]: { type: Data, read } });
}

const wireMessage = fc.record({
  bytes: fc.uint8Array({ maxLength: 200 }),
  error: fc.constantFrom("", "", "", "gone"),
});

Deno.test("payload reads from the wire what decoding gives, however it is cut", async () => {
  const messages = fc.array(wireMessage, { maxLength: 8 });
  const cuts = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(messages, cuts, async (messages, cuts) => {
      const framed = messages.flatMap(({ bytes, error }) => {
        const metadata = { hostname: "", error, status: undefined };
        const data = { bytes, metadata: error === "" ? undefined : metadata };
        return [...frame(Data.encode(Data.fromPartial(data)).finish())];
      });
      const seen: number[] = [];
      const reports: string[] = [];
      const wire = onWire(new Uint8Array(framed), cuts);
      const reported = ({ message }: RpcError) => void reports.push(message);
      for await (const chunk of payload(wire, { reported })) {
        assert.ok(chunk.length > 0);
        seen.push(...chunk);
      }
      assert.deepEqual(seen, messages.flatMap(({ bytes }) => [...bytes]));
      assert.deepEqual(
        reports,
        messages.flatMap(({ error }) => error === "" ? [] : [error]),
      );
    }),
  );
});

Deno.test("payload gives small messages together, and keeps what it gave", async () => {
  const one = (value: number) => [
    ...frame(
      Data.encode(
        Data.fromPartial({ bytes: new Uint8Array(1_000).fill(value) }),
      )
        .finish(),
    ),
  ];
  const bytes = new Uint8Array(
    Array.from({ length: 100 }, (_, i) => one(i)).flat(),
  );
  const half = bytes.length / 2;
  const chunks = await Array.fromAsync(payload(onWire(bytes, [half])));
  assert.ok(chunks.length <= 8, `${chunks.length} chunks`);
  const all = chunks.flatMap((chunk) => [...chunk]);
  assert.deepEqual(
    all,
    Array.from({ length: 100_000 }, (_, i) => Math.floor(i / 1_000)),
  );
});

Deno.test("payload refuses content that ends amid a message", async () => {
  const wire = onWire(
    frame(new Uint8Array([0x12, 5, 1, 2, 3, 4, 5])).subarray(0, 9),
    [],
  );
  await assert.rejects(Array.fromAsync(payload(wire)), {
    message: "The response ends in the middle of a message",
  });
});

Deno.test("payload that is lent stays as it is until the next but one is requested", async () => {
  const bytes = new Uint8Array(
    Array.from({ length: 2_000 }, (_, i) => [
      ...frame(
        Data.encode(
          Data.fromPartial({ bytes: new Uint8Array(1_000).fill(i) }),
        ).finish(),
      ),
    ]).flat(),
  );
  const cuts = Array.from({ length: 12 }, () => 160_000);
  let before: Record<"chunk" | "copy", Uint8Array> = {
    chunk: new Uint8Array(),
    copy: new Uint8Array(),
  };
  const memory = new Set<ArrayBufferLike>();
  let size = 0;
  for await (const chunk of payload(onWire(bytes, cuts), { lent: true })) {
    assert.deepEqual(before.chunk, before.copy);
    before = { chunk, copy: chunk.slice() };
    memory.add(chunk.buffer);
    size += chunk.length;
  }
  assert.equal(size, 2_000_000);
  assert.ok(memory.size <= 6, `${memory.size} blocks`);
});
