import assert from "node:assert/strict";
import { compareKeys, conform } from "../../../config/documents/conform.ts";
import type { Problem } from "../../../config/documents/problem.ts";
import {
  boolean,
  duration,
  string,
  u8,
} from "../../../config/documents/scalars/scalars.ts";
import type { Field, Fields, Shape } from "../../../config/documents/schema.ts";
import { free, list, map, struct } from "../../../config/documents/shapes.ts";
import { readDocuments } from "../../../config/tree/read.ts";
import { writeTree } from "../../../config/tree/write.ts";

function of(shape: Shape, more: Partial<Field> = {}): Field {
  return { shape, summary: "Something", ...more };
}

const optional = { optional: true } as const;
const always = { always: true } as const;

const part = struct({ a: of(string), b: of(boolean, optional) });

const fields: Fields = {
  text: of(string),
  count: of(u8),
  flag: of(boolean),
  maybe: of(boolean, optional),
  list: of(list(string)),
  part: of(part),
  maybePart: of(part, optional),
  map: of(map(string)),
  parts: of(map(part)),
  items: of(list(part)),
  free: of(free),
  listed: of(list(string), { listed: true }),
  maybeList: of(list(string), optional),
};

const written: Fields = {
  text: of(string, always),
  count: of(u8, always),
  maybe: of(boolean, { ...always, ...optional }),
  wait: of(duration, always),
  list: of(list(string), always),
  map: of(map(string), always),
  free: of(free, always),
  part: of(struct({ a: of(string, always), b: of(string) }), always),
  maybePart: of(part, { ...always, ...optional }),
};

function treeIn(text: string): ReturnType<typeof readDocuments> {
  return readDocuments(text, "f");
}

function conformText(text: string, description = fields): string {
  const [document] = treeIn(text).documents;
  assert.ok(document !== undefined);
  const { node, problems } = conform(document.root, description);
  assert.deepEqual(problems, []);
  return writeTree(node);
}

function problemsIn(text: string): readonly Problem[] {
  const [document] = treeIn(text).documents;
  assert.ok(document !== undefined);
  return conform(document.root, fields).problems;
}

function formatProblems(text: string): string[] {
  return problemsIn(text).map(({ path, message, hint, at }) =>
    `${at?.line}:${at?.column} ${path}: ${message}; ${hint}`
  );
}

const cases: readonly [
  name: string,
  before: string,
  after: string,
  description?: Fields,
][] = [
  [
    "keys come in the order of the description",
    "flag: true\ncount: 1\ntext: a\n",
    "text: a\ncount: 1\nflag: true\n",
  ],
  [
    "keys of the user are sorted, numbers in them by value",
    "map: {b10: x, b2: x, a: x}\n",
    "map:\n    a: x\n    b2: x\n    b10: x\n",
  ],
  [
    "elements stay in their order",
    "list: [b, a]\n",
    "list:\n    - b\n    - a\n",
  ],
  [
    "scalars become canonical",
    "count: 0x10\nflag: yes\nlist: [1, true]\n",
    'count: 16\nflag: true\nlist:\n    - "1"\n    - "true"\n',
  ],
  ["empty texts are left out", 'text: ""\ncount: 1\n', "count: 1\n"],
  ["zero is left out", "count: 0\nflag: true\n", "flag: true\n"],
  ["false is left out", "count: 1\nflag: false\n", "count: 1\n"],
  ["false is kept where absence differs", "maybe: false\n", "maybe: false\n"],
  [
    "empty lists and mappings are left out",
    "list: []\nmap: {}\nparts: {}\nfree: {}\nlisted: []\ncount: 1\n",
    "count: 1\n",
  ],
  [
    "empty lists are kept where absence differs",
    "maybeList: []\n",
    "maybeList: []\n",
  ],
  [
    "mappings in which nothing is set are left out",
    'part: {a: ""}\ncount: 1\n',
    "count: 1\n",
  ],
  [
    "mappings in which something is set are kept",
    "part: {b: false}\n",
    "part:\n    b: false\n",
  ],
  [
    "empty mappings are kept where absence differs",
    "maybePart: {}\n",
    "maybePart: {}\n",
  ],
  ["null is absent", "text: null\nmaybe: ~\npart:\ncount: 1\n", "count: 1\n"],
  [
    "null elements are skipped",
    "list: [a, null, b]\n",
    "list:\n    - a\n    - b\n",
  ],
  [
    "null values of the user's keys are empty, or stay",
    "map: {a: null}\nparts: {a: null}\n",
    'map:\n    a: ""\nparts:\n    a: null\n',
  ],
  [
    "elements and values lose what is empty, too",
    'items: [{a: "", b: true}]\nparts: {x: {a: ""}}\n',
    "parts:\n    x: {}\nitems:\n    - b: true\n",
  ],
  [
    "what belongs to other programs is kept but for its order",
    "free: {b: [{d: null, c: 1.50}], a: 0x10, e: '1'}\n",
    `free:\n    a: 16\n    b:\n        - c: 1.5\n          d: null\n    e: "1"\n`,
  ],
  [
    "what is always written is empty when it is absent",
    "{}\n",
    `text: ""
count: 0
maybe: null
wait: 0s
list: []
map: {}
free: {}
part:
    a: ""
maybePart: null
`,
    written,
  ],
  [
    "what is always written is empty when it is null",
    "text: null\nmaybe: null\nlist: null\npart: null\nmaybePart: null\n",
    `text: ""
count: 0
maybe: null
wait: 0s
list: []
map: {}
free: {}
part:
    a: ""
maybePart: null
`,
    written,
  ],
  [
    "comments keep what would be left out",
    `# one
text: ""
count: 0 # two
# three
list: []
# four
map: {}
flag: null # five
listed: [] # six
`,
    `# one
text: ""
count: 0 # two
flag: null # five
# three
list: []
# four
map: {}
listed: [] # six
`,
  ],
  [
    "comments inside keep a mapping in which nothing is set",
    'count: 1\npart:\n    a: "" # one\n',
    'count: 1\npart:\n    a: "" # one\n',
  ],
  [
    "comments go with their keys and elements",
    `# b
map:
    # 2
    z: a # 2
    # 1
    x: a # 1
    # end
# a
text: a # a
list:
    # first
    - z # z
    # last
`,
    `# a
text: a # a
list:
    # first
    - z # z
    # last
# b
map:
    # 1
    x: a # 1
    # 2
    z: a # 2
    # end
`,
  ],
];

for (const [name, before, after, description] of cases) {
  Deno.test(`in documents, ${name}`, () => {
    assert.equal(conformText(before, description), after);
  });

  Deno.test(`in documents, ${name}, and the second time nothing changes`, () => {
    const once = conformText(before, description);
    assert.equal(conformText(once, description), once);
  });
}

Deno.test("unknown keys are refused with the nearest known one", () => {
  assert.deepEqual(formatProblems("txt: a\n"), [
    '1:1 txt: Unknown key "txt"; Did you mean "text"?',
  ]);
  assert.deepEqual(formatProblems("part:\n    c: d\n    aa: e\n"), [
    '2:5 part.c: Unknown key "c"; Did you mean "a"?',
    '3:5 part.aa: Unknown key "aa"; Did you mean "a"?',
  ]);
  assert.deepEqual(formatProblems("items:\n    - a: b\n      elsewhere: c\n"), [
    '3:7 items[0].elsewhere: Unknown key "elsewhere"; Known keys: a, b',
  ]);
});

Deno.test("values of the wrong form are refused with what would be right", () => {
  assert.deepEqual(formatProblems("text: [a]\n"), [
    "1:7 text: This is a list; Give a string",
  ]);
  assert.deepEqual(formatProblems("list: a\n"), [
    "1:7 list: This is a single value; Give a list",
  ]);
  assert.deepEqual(formatProblems("map: [a]\npart: a\nfree: []\n"), [
    "2:7 part: This is a single value; Give a mapping",
    "1:6 map: This is a list; Give a mapping",
    "3:7 free: This is a list; Give a mapping",
  ]);
  assert.deepEqual(formatProblems("list: [{a: b}]\nmap: {x: {y: z}}\n"), [
    "1:8 list[0]: This is a mapping; Give a string",
    "2:10 map.x: This is a mapping; Give a string",
  ]);
});

Deno.test("scalars of the wrong type are refused with what would be right", () => {
  assert.deepEqual(formatProblems("count: 256\nflag: perhaps\n"), [
    "1:8 count: 256 is more than 255; Give a whole number from 0 to 255",
    '2:7 flag: "perhaps" is not a boolean; Give true or false',
  ]);
});

Deno.test("conform: leaves values of the wrong shape unchanged", () => {
  const [document] = treeIn("list: a\ncount: 256\n").documents;
  assert.ok(document !== undefined);
  const { node } = conform(document.root, fields);
  assert.equal(writeTree(node), "count: 256\nlist: a\n");
});

const sorted = [
  [],
  ["a", "b", "c"],
  ["a", "aa", "ab", "b"],
  ["a1", "a2", "a10", "a20"],
  ["-", "1", "2", "10", "A", "B", "a", "b"],
  ["a-b", "a.b", "aa"],
  ["a", "a.b", "a/b", "a1", "ab"],
  ["v1", "v1a", "v1.2", "v2"],
  ["1a", "1-"],
  ["100", "101", "110"],
  ["a1", "a01", "a02"],
  ["_x", "X", "x"],
];

Deno.test("compareKeys orders keys as nodes do", () => {
  for (const keys of sorted) {
    assert.deepEqual(keys.toReversed().sort(compareKeys), keys);
  }
});
