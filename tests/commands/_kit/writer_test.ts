import assert from "node:assert/strict";
import { writer } from "../../../commands/_kit/writer.ts";

function recorder() {
  const written: string[] = [];
  return {
    written,
    sink: {
      terminal: false,
      columns: () => undefined,
      write(bytes: Uint8Array) {
        written.push(new TextDecoder().decode(bytes));
        return Promise.resolve();
      },
    },
  };
}

Deno.test("writer gathers small texts into one write", async () => {
  const { written, sink } = recorder();
  const out = writer(sink);
  for (const part of ["a", "b", "c"]) out.text(part);
  await out.flush();
  assert.deepEqual(written, ["abc"]);
});

Deno.test("writer writes what it has when the program waits", async () => {
  const { written, sink } = recorder();
  const out = writer(sink);
  out.text("a");
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(written, ["a"]);
  await out.flush();
});

Deno.test("writer makes the program wait when much was gathered", async () => {
  const { written, sink } = recorder();
  const out = writer(sink);
  const full = out.text("x".repeat(70_000));
  assert.ok(full instanceof Promise);
  await full;
  assert.equal(written[0]?.length, 70_000);
});

Deno.test("writer keeps the order of text and bytes", async () => {
  const { written, sink } = recorder();
  const out = writer(sink);
  out.text("a");
  await out.bytes(new TextEncoder().encode("b"));
  out.text("c");
  await out.flush();
  assert.deepEqual(written, ["a", "b", "c"]);
});

Deno.test("writer gathers small bytes while a write is under way", async () => {
  const sizes: number[] = [];
  const first = Promise.withResolvers<void>();
  const out = writer({
    terminal: false,
    columns: () => undefined,
    async write(bytes) {
      sizes.push(bytes.length);
      if (sizes.length === 1) await first.promise;
    },
  });
  out.bytes(new Uint8Array(1000));
  const flushed = out.flush();
  const waits: unknown[] = [];
  for (let i = 0; i < 66; i++) waits.push(out.bytes(new Uint8Array(1000)));
  // The 66th does not fit into the block any more, so it has to wait for the first write.
  assert.deepEqual(waits.slice(0, 65), Array(65).fill(undefined));
  assert.ok(waits[65] instanceof Promise);
  first.resolve();
  await Promise.all([flushed, out.flush()]);
  assert.deepEqual(sizes, [1000, 65_000, 1000]);
});

Deno.test("writer writes small bytes when no more come", async () => {
  const shown = Promise.withResolvers<number>();
  const out = writer({
    terminal: false,
    columns: () => undefined,
    write(bytes) {
      shown.resolve(bytes.length);
      return Promise.resolve();
    },
  });
  out.bytes(new Uint8Array(10));
  out.bytes(new Uint8Array(10));
  assert.equal(await shown.promise, 20);
});

Deno.test("writer passes large bytes on without a copy, after small ones", async () => {
  const written: Uint8Array[] = [];
  const out = writer({
    terminal: false,
    columns: () => undefined,
    write(bytes) {
      written.push(bytes);
      return Promise.resolve();
    },
  });
  const large = new Uint8Array(40_000);
  out.bytes(new Uint8Array([1]));
  await out.bytes(large);
  await out.flush();
  assert.deepEqual(written.map(({ length }) => length), [1, 40_000]);
  assert.equal(written[1], large);
});

Deno.test("writer raises the error of a broken stream", async () => {
  const out = writer({
    terminal: false,
    columns: () => undefined,
    write: () => Promise.reject(new Deno.errors.BrokenPipe("gone")),
  });
  out.text("a");
  await assert.rejects(out.flush(), Deno.errors.BrokenPipe);
});

Deno.test("writer refuses text once the stream is broken", async () => {
  const out = writer({
    terminal: false,
    columns: () => undefined,
    write: () => Promise.reject(new Deno.errors.BrokenPipe("gone")),
  });
  out.text("a");
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.throws(() => out.text("b"), Deno.errors.BrokenPipe);
  assert.throws(() => out.bytes(new Uint8Array(1)), Deno.errors.BrokenPipe);
});
