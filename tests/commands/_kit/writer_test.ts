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

Deno.test("writer raises the error of a broken stream", async () => {
  const out = writer({
    terminal: false,
    columns: () => undefined,
    write: () => Promise.reject(new Deno.errors.BrokenPipe("gone")),
  });
  out.text("a");
  await assert.rejects(out.flush(), Deno.errors.BrokenPipe);
});
