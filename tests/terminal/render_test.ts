import assert from "node:assert/strict";
import type { Format } from "../../terminal/format.ts";
import { renderer } from "../../terminal/render.ts";
import {
  bytes,
  headedTable,
  table,
  textual,
  type View,
} from "../../terminal/view.ts";
import { writer } from "../../terminal/buffered_writer.ts";

interface Row {
  readonly node: string;
  readonly size: number | bigint;
}

const view = table<Row>({
  NODE: (row) => row.node,
  SIZE: (row) => String(row.size),
});

const rows: readonly Row[] = [
  { node: "b", size: 2 },
  { node: "a", size: 10n },
];

function screen(columns?: number) {
  const parts: string[] = [];
  return {
    parts,
    sink: {
      terminal: columns !== undefined,
      columns: () => columns,
      write(bytes: Uint8Array) {
        parts.push(new TextDecoder().decode(bytes));
        return Promise.resolve();
      },
    },
  };
}

async function draw<R>(
  view: View<R>,
  format: Format,
  all: readonly R[],
  columns?: number,
): Promise<string> {
  const { parts, sink } = screen(columns);
  const drawn = await renderer<R>({ view, format, sink });
  for (const row of all) await drawn.row(row);
  await drawn.end();
  return parts.join("");
}

Deno.test("renderer draws no header without rows, unless the view wants one", async () => {
  const headed = headedTable<Row>({
    NODE: (row) => row.node,
    SIZE: (row) => String(row.size),
  });
  assert.equal(await draw(view, { kind: "table" }, []), "");
  assert.equal(await draw(headed, { kind: "table" }, []), "NODE   SIZE\n");
  assert.equal(
    await draw(headed, { kind: "table" }, rows),
    "NODE   SIZE\nb      2\na      10\n",
  );
  assert.equal(await draw(headed, { kind: "json" }, []), "");
});

Deno.test("renderer shows a table when rows stop coming", async () => {
  let shown = (_: string) => {};
  const first = new Promise<string>((resolve) => shown = resolve);
  const drawn = await renderer<Row>({
    view,
    format: { kind: "table" },
    sink: {
      terminal: false,
      columns: () => undefined,
      write(bytes) {
        shown(new TextDecoder().decode(bytes));
        return Promise.resolve();
      },
    },
  });
  drawn.row({ node: "a", size: 1 });
  assert.equal(await first, "NODE   SIZE\na      1\n");
  const second = new Promise<string>((resolve) => shown = resolve);
  drawn.row({ node: "b", size: 2 });
  await drawn.end();
  assert.equal(await second, "b      2\n");
});

Deno.test("renderer writes one JSON document per row", async () => {
  assert.equal(
    await draw(view, { kind: "json" }, rows.slice(0, 1)),
    '{\n    "node": "b",\n    "size": 2\n}\n',
  );
  assert.equal(
    await draw(view, { kind: "jsonl" }, [...rows, {
      node: "c",
      size: 2n ** 60n,
    }]),
    '{"node":"b","size":2}\n{"node":"a","size":10}\n{"node":"c","size":"1152921504606846976"}\n',
  );
});

Deno.test("renderer separates YAML documents", async () => {
  assert.equal(
    await draw(view, { kind: "yaml" }, [{ node: "a", size: 1 }, {
      node: "b",
      size: 2,
    }]),
    "node: a\nsize: 1\n---\nnode: b\nsize: 2\n",
  );
});

Deno.test("renderer writes failed nodes as rows for programs only", async () => {
  const failed = { node: "c", error: { code: "UNAVAILABLE", message: "down" } };
  const { parts, sink } = screen();
  const json = await renderer<Row>({ view, format: { kind: "jsonl" }, sink });
  assert.equal(await json.failure(failed), true);
  await json.end();
  assert.equal(
    parts.join(""),
    '{"node":"c","error":{"code":"UNAVAILABLE","message":"down"}}\n',
  );
  const people = await renderer<Row>({ view, format: { kind: "table" }, sink });
  assert.equal(await people.failure(failed), false);
});

Deno.test("renderer tells a text view which row is the first", async () => {
  const view = textual<string>((row, first) => `${first ? ">" : " "}${row}`);
  assert.equal(await draw(view, { kind: "table" }, ["a", "b"]), ">a b");
});

Deno.test("renderer passes bytes on unchanged", async () => {
  const text = await draw<Uint8Array>(bytes(), { kind: "table" }, [
    new TextEncoder().encode("a\x1b[0m"),
  ]);
  assert.equal(text, "a\x1b[0m");
});

Deno.test("renderer keeps what controls a terminal in bytes from a terminal", async () => {
  const all = new TextEncoder().encode("é\x1b[31m漢\n");
  const text = await draw<Uint8Array>(bytes(), { kind: "table" }, [
    all.subarray(0, 1),
    all.subarray(1, 8),
    all.subarray(8),
  ], 80);
  assert.equal(text, "é漢\n");
});

Deno.test("renderer of a table refuses rows once the stream is broken", async () => {
  const drawn = await renderer<Row>({
    view,
    format: { kind: "table" },
    sink: {
      terminal: false,
      columns: () => undefined,
      write: () => Promise.reject(new Deno.errors.BrokenPipe("gone")),
    },
  });
  drawn.row({ node: "a", size: 1 });
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.throws(
    () => drawn.row({ node: "a", size: 2 }),
    Deno.errors.BrokenPipe,
  );
});

Deno.test("renderer strips control characters that JSON leaves as they are, on a terminal; YAML escapes them", async () => {
  const hostile = [{ node: "a\u009b31m\x7f", size: 1 }];
  assert.equal(
    await draw(view, { kind: "jsonl" }, hostile, 80),
    '{"node":"a","size":1}\n',
  );
  assert.equal(
    await draw(view, { kind: "yaml" }, hostile, 80),
    'node: "a\\u009b31m\\u007f"\nsize: 1\n',
  );
  assert.equal(
    await draw(view, { kind: "jsonl" }, hostile),
    '{"node":"a\u009b31m\x7f","size":1}\n',
  );
});

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

Deno.test("writer writes bytes that came one after the other soon, together, each time", async () => {
  const { written, sink } = recorder();
  const wrote: (() => void)[] = [];
  const write = (bytes: Uint8Array) => {
    wrote.shift()?.();
    return sink.write(bytes);
  };
  const out = writer({ ...sink, write });
  // It keeps no process alive by itself.
  const alive = setTimeout(() => {}, 10_000);
  for (const parts of [["a", "b", "c"], ["d", "e"]]) {
    const { promise, resolve } = Promise.withResolvers<void>();
    wrote.push(resolve);
    for (const part of parts) {
      out.bytes(new TextEncoder().encode(part));
      await Promise.resolve();
    }
    await promise;
  }
  clearTimeout(alive);
  assert.deepEqual(written, ["abc", "de"]);
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
