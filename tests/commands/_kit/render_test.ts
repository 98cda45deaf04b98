import assert from "node:assert/strict";
import type { Format } from "../../../commands/_kit/output.ts";
import { renderer } from "../../../commands/_kit/render.ts";
import {
  bytes,
  headedTable,
  lines,
  table,
  textual,
  type View,
} from "../../../commands/_kit/view.ts";

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

Deno.test("renderer draws a table with one header", async () => {
  assert.equal(
    await draw(view, { kind: "table" }, rows),
    "NODE   SIZE\nb      2\na      10\n",
  );
});

Deno.test("renderer draws nothing for no rows", async () => {
  assert.equal(await draw(view, { kind: "table" }, []), "");
});

Deno.test("renderer sorts a block by the rank of its rows", async () => {
  const { parts, sink } = screen();
  const drawn = await renderer<Row>({
    view,
    format: { kind: "table" },
    sink,
    rank: ({ node }) => ["a", "b"].indexOf(node),
  });
  for (const row of rows) await drawn.row(row);
  await drawn.end();
  assert.equal(parts.join(""), "NODE   SIZE\na      10\nb      2\n");
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

Deno.test("renderer strips control sequences on a terminal and only there", async () => {
  const colourful = lines<string>((row) => row);
  assert.equal(
    await draw(colourful, { kind: "table" }, ["\x1b[31mx"], 80),
    "x\n",
  );
  assert.equal(
    await draw(colourful, { kind: "table" }, ["\x1b[31mx"]),
    "\x1b[31mx\n",
  );
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
