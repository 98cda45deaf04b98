import assert from "node:assert/strict";
import type { Format } from "../../terminal/format.ts";
import type { LiveLines } from "../../terminal/live_lines.ts";
import { renderer, type RenderOptions } from "../../terminal/render.ts";
import { painter } from "../../terminal/tone.ts";
import { lines, table, type View } from "../../terminal/view.ts";

interface Row {
  readonly node: string;
  readonly id: string;
  readonly size: number;
  readonly event?: string;
}

const view: View<Row> = table<Row>({
  NODE: (row) => row.node,
  ID: (row) => row.id,
  "DISK SIZE": {
    cell: ({ size }) => `${size / 1000} kB`,
    value: ({ size }) => size,
    tone: ({ size }) => size > 5000 ? "bad" : undefined,
  },
});

const rows: readonly Row[] = [
  { node: "b", id: "eth10", size: 9000 },
  { node: "a", id: "eth2", size: 10000 },
  { node: "a", id: "eth1", size: 500 },
];

const json: Format = { kind: "jsonl" };
const people: Format = { kind: "table" };

/** Draws rows; returns what was written, and what was said. */
async function draw(
  format: Format,
  options: Partial<RenderOptions<Row>> & { readonly columns?: number } = {},
  all = rows,
): Promise<{ readonly out: string; readonly notes: readonly string[] }> {
  const { columns, ...more } = options;
  const notes: string[] = [];
  let out = "";
  const drawn = await renderer<Row>({
    view,
    format,
    note: (text) => notes.push(text),
    rank: ({ node }) => ["a", "b"].indexOf(node),
    ...more,
    sink: {
      terminal: columns !== undefined,
      columns: () => columns,
      write(bytes) {
        out += new TextDecoder().decode(bytes);
        return Promise.resolve();
      },
    },
  });
  for (const row of all) await drawn.row(row);
  await drawn.end();
  return { out, notes };
}

const sortings: readonly (readonly [by: string, ids: string])[] = [
  ["ID", "eth1 eth2 eth10"],
  ["id", "eth1 eth2 eth10"],
  ["DISK SIZE", "eth1 eth10 eth2"],
  ["Disk Size(kB)", "eth1 eth10 eth2"],
  ["disk-size", "eth1 eth10 eth2"],
  ["{.size}", "eth1 eth10 eth2"],
  [".node", "eth2 eth1 eth10"],
  ["-DISK SIZE", "eth2 eth10 eth1"],
  ["-{.size}", "eth2 eth10 eth1"],
];

for (const [sortBy, ids] of sortings) {
  Deno.test(`rows are sorted by ${sortBy}, in every format`, async () => {
    const query = { sortBy };
    const { out } = await draw(json, { query });
    const found = out.trim().split("\n").map((line) => JSON.parse(line).id);
    assert.equal(found.join(" "), ids);
    const names = await draw({ kind: "name" }, { query });
    assert.equal(names.out, `${ids.replaceAll(" ", "\n")}\n`);
  });
}

Deno.test("rows with the same value are sorted by node, however they arrive", async () => {
  const same: readonly Row[] = [
    { node: "10.0.0.10", id: "eth0", size: 1 },
    { node: "10.0.0.2", id: "eth0", size: 1 },
    { node: "10.0.0.9", id: "eth0", size: 2 },
    { node: "10.0.0.1", id: "eth0", size: 2 },
  ];
  for (
    const [sortBy, nodes] of [
      ["DISK SIZE", "10.0.0.2 10.0.0.10 10.0.0.1 10.0.0.9"],
      ["-DISK SIZE", "10.0.0.1 10.0.0.9 10.0.0.2 10.0.0.10"],
    ] as const
  ) {
    for (const all of [same, same.toReversed()]) {
      const { out } = await draw(json, { query: { sortBy } }, all);
      const found = out.trim().split("\n").map((line) => JSON.parse(line).node);
      assert.equal(found.join(" "), nodes);
    }
  }
});

const selections: readonly (readonly [
  field: string,
  equal: boolean,
  value: string,
  ids: string,
])[] = [
  ["node", true, "a", "eth2 eth1"],
  ["NODE", false, "a", "eth10"],
  ["Disk Size", true, "9 kB", "eth10"],
  ["size", true, "500", "eth1"],
  [".id", true, "ETH2", "eth2"],
];

for (const [field, equal, value, ids] of selections) {
  Deno.test(`rows are selected by ${field} ${equal ? "=" : "!="} ${value}`, async () => {
    const where = [{ field, equal, value }];
    const { out } = await draw({ kind: "name" }, { query: { where } });
    assert.equal(out.trim().split("\n").join(" "), ids);
  });
}

Deno.test("an unknown column is an error that names the nearest one, or all", async () => {
  await assert.rejects(
    draw(people, { query: { sortBy: "DISK SZE" } }),
    {
      message: 'Unknown column "DISK SZE" for --sort-by',
      hint: 'Did you mean "DISK SIZE"?',
    },
  );
  await assert.rejects(
    draw(people, {
      query: { where: [{ field: "colour", value: "red", equal: true }] },
    }),
    {
      message: 'Unknown column "colour" for --field-selector',
      hint:
        "Known columns: NODE, ID, DISK SIZE; a path such as .node works too",
    },
  );
  await assert.rejects(draw(people, { query: { sortBy: ".a[" } }), {
    message: /^Invalid path "\.a\[" for --sort-by: /,
  });
});

Deno.test("names are shortened before what a command is requested is left out", async () => {
  const long: readonly Row[] = [
    { node: "a", id: "namespace/a-pod-with-a-long-name", size: 500 },
    { node: "b", id: "namespace/a-pod-with-a-long-name:app", size: 9000 },
  ];
  const view = table<Row>({
    NODE: { cell: ({ node }) => node, name: true },
    ID: {
      cell: ({ id }) => id,
      short: ({ id }) => id.replace(/.*:/, "└─ "),
      name: true,
    },
    EVENT: { cell: () => "created", priority: 1 },
    "DISK SIZE": { cell: ({ size }) => `${size}`, priority: 0 },
  });
  assert.deepEqual(await draw(people, { view, columns: 42 }, long), {
    out: `NODE   ID                        DISK SIZE
a      namespa…ith-a-long-name   500
b      └─ app                    9000
`,
    notes: ["Hidden columns: EVENT; see -o wide"],
  });
  const kept: Format = { kind: "table", wide: true };
  const { out, notes } = await draw(kept, { view, columns: 42 }, long);
  assert.match(out, /namespace\/a-pod-with-a-long-name:app {3}created {3}9000/);
  assert.deepEqual(notes, []);
});

Deno.test("a column that a flag names stays on a narrow terminal, also one that only -o wide shows", async () => {
  const view = table<Row>({
    NODE: ({ node }) => node,
    ID: ({ id }) => id,
    EVENT: () => "created",
    SIZE: ({ size }) => `${size}`,
    MTU: { cell: () => "1500", wide: true },
  });
  const header = async (more: Partial<Parameters<typeof draw>[1]>) => {
    const { out } = await draw(people, { view, columns: 28, ...more });
    return out.split("\n")[0];
  };
  assert.equal(await header({}), "NODE   ID      EVENT");
  for (const sortBy of ["size", "-size"]) {
    assert.equal(await header({ query: { sortBy } }), "NODE   ID      SIZE");
  }
  const where = [{ field: "MTU", value: "1500", equal: true }];
  assert.equal(await header({ query: { where } }), "NODE   ID      MTU");
});

Deno.test("what is empty in all rows goes first, then what repeats, never what was requested", async () => {
  const view = table<Row>({
    NODE: ({ node }) => node,
    ID: ({ id }) => id,
    HOSTNAME: { cell: ({ id }) => id, priority: 1 },
    NOTE: { cell: () => "", priority: 0 },
    SERIAL: () => "-",
    KIND: () => "ether",
    SIZE: ({ size }) => `${size}`,
  });
  const header = async (columns: number, all = rows, sortBy?: string) => {
    const query = { sortBy };
    const { out } = await draw(people, { view, columns, query }, all);
    return out.split("\n")[0];
  };
  assert.equal(
    await header(46),
    "NODE   ID      HOSTNAME   KIND    SIZE",
  );
  assert.equal(await header(45), "NODE   ID      HOSTNAME   KIND    SIZE");
  assert.equal(await header(38), "NODE   ID      KIND    SIZE");
  assert.equal(await header(27), "NODE   ID      KIND");
  assert.equal(
    await header(45, rows, "note"),
    "NODE   ID      NOTE   KIND    SIZE",
  );
  // All rows are of one node.
  assert.equal(await header(26, rows.slice(1)), "ID     KIND    SIZE");
  // A single row keeps its name.
  assert.equal(await header(20, rows.slice(2)), "NODE   ID     KIND");
});

Deno.test("names are written once each; headers can be left out", async () => {
  const twice = [...rows, { node: "b", id: "eth2", size: 1 }];
  assert.equal(
    (await draw({ kind: "name" }, {}, twice)).out,
    "eth2\neth1\neth10\n",
  );
  assert.equal(
    (await draw(people, { headers: false })).out,
    "a   eth2    10 kB\na   eth1    0.5 kB\nb   eth10   9 kB\n",
  );
});

Deno.test("custom columns are paths into rows", async () => {
  const columns = [
    { header: "NAME", path: ".id" },
    { header: "none", path: "{.x.y}" },
  ];
  const { out } = await draw({ kind: "custom-columns", columns });
  assert.equal(
    out,
    "NAME    none\neth2    <none>\neth1    <none>\neth10   <none>\n",
  );
  const wrong = [{ header: "A", path: ".b[" }];
  await assert.rejects(draw({ kind: "custom-columns", columns: wrong }), {
    message: /^Invalid path "\.b\[" of column "A": /,
  });
});

Deno.test("programs get rows in the order of their nodes, and as they came where they do not end", async () => {
  const ids = (out: string) => out.match(/eth\d+/g)?.join(" ");
  assert.equal(
    ids((await draw(json, { ordered: true })).out),
    "eth2 eth1 eth10",
  );
  assert.equal(ids((await draw(json)).out), "eth10 eth2 eth1");
});

Deno.test("colours say what a cell means", async () => {
  const { out } = await draw(people, { paint: painter(true) }, [rows[0]!]);
  assert.equal(
    out,
    "NODE   ID      DISK SIZE\nb      eth10   \x1b[31m9 kB\x1b[0m\n",
  );
});

Deno.test("lines get the colour of what they mean after control sequences were taken out", async () => {
  const view = lines<Row>(({ id }) => `\x1b[1m+${id}`, () => "added");
  const { out } = await draw(
    people,
    { view, paint: painter(true), columns: 80 },
    [rows[0]!],
  );
  assert.equal(out, "\x1b[32m+eth10\x1b[0m\n");
});

Deno.test("changes are marked in a pipe, and drawn in place on a terminal", async () => {
  const changed: readonly Row[] = [
    { node: "a", id: "eth1", size: 1000, event: "created" },
    { node: "a", id: "eth2", size: 2000, event: "created" },
    { node: "a", id: "eth1", size: 3000, event: "updated" },
    { node: "a", id: "eth2", size: 2000, event: "destroyed" },
  ];
  const piped = await draw(people, { changes: {} }, changed);
  assert.equal(
    piped.out,
    `NODE   *   ID     DISK SIZE
a      +   eth1   1 kB
a      +   eth2   2 kB
a          eth1   3 kB
a      -   eth2   2 kB
`,
  );
  let last: readonly string[] = [];
  const live: LiveLines = {
    size: () => ({ columns: 80, rows: 24 }),
    draw(lines) {
      last = lines;
      return Promise.resolve();
    },
    paint: (text: string) => text,
    color() {},
    leave: () => Promise.resolve(),
    alone: () => Promise.reject(new TypeError("No question is asked")),
  };
  await draw(people, { changes: { live }, columns: 80 }, changed);
  assert.deepEqual(last, ["NODE   ID     DISK SIZE", "a      eth1   3 kB"]);
  const many = Array.from({ length: 30 }, (_, i) => ({
    node: "a",
    id: `eth${i}`,
    size: 1,
    event: "created",
  }));
  await draw(people, { changes: { live }, columns: 80 }, many);
  assert.equal(last.length, 23);
  assert.equal(last.at(-1), "+9 rows");
});

Deno.test("the note of hidden columns fits the terminal", async () => {
  const view = table<Row>({
    NODE: ({ node }) => node,
    ID: ({ id }) => id,
    "RAFT INDEX": () => "7".repeat(60),
    "RAFT TERM": () => "7".repeat(60),
    LEARNER: () => "false".repeat(12),
  });
  const noteAt = async (columns: number) =>
    (await draw(people, { view, columns })).notes.join("\n");
  const whole = "Hidden columns: RAFT INDEX, RAFT TERM, LEARNER; see -o wide";
  assert.equal(await noteAt(59), whole);
  const before = "Hidden columns: RAFT INDEX";
  assert.equal(await noteAt(58), `${before}, RAFT TERM, 1 more; see -o wide`);
  assert.equal(await noteAt(47), `${before}, 2 more; see -o wide`);
});

Deno.test("sizes that are texts are sorted by bytes", async () => {
  const sizes = ["105 MB", "19 GB", "", "1.0 MB", "7 B", "2.0 KiB"];
  const view = table<Row>({
    NODE: ({ node }) => node,
    ID: ({ id }) => id,
    SIZE: ({ size }) => sizes[size] ?? "",
  });
  const all = sizes.map((id, size) => ({ node: "a", id, size }));
  const query = { sortBy: "-SIZE" };
  const { out } = await draw(people, { view, query, headers: false }, all);
  assert.deepEqual(out.match(/[\d.]+ \w+$/gm), [
    "19 GB",
    "105 MB",
    "1.0 MB",
    "2.0 KiB",
    "7 B",
  ]);
});

Deno.test("a column that repeats the name of a row goes first, even if the rows are sorted by it", async () => {
  const same = table<Row>({
    ID: { cell: ({ id }) => id, name: true },
    HOSTNAME: ({ id }) => id,
    SIZE: ({ size }) => `${size} B`,
  });
  const query = { sortBy: "-hostname" };
  const { out, notes } = await draw(people, { view: same, query, columns: 16 });
  assert.equal(
    out,
    "ID      SIZE\neth10   9000 B\neth2    10000 B\neth1    500 B\n",
  );
  assert.deepEqual(notes, []);
});
