import assert from "node:assert/strict";
import fc from "fast-check";
import { parseTree } from "../../../config/osconfig/osconfig_yaml.ts";
import { parsePlainYaml } from "../../../config/yaml/plain_yaml.ts";

const written = `# made by hand
context: prod   # current
contexts:
    prod:
        endpoints:
            - 10.0.0.2
            - "[fd00::1]:50000"
        nodes:
        - '10.0.0.3'
        ca: LS0tLS1CRUdJTi==
        crt: ~
        cluster:

    empty:
        endpoints: []   # none
    other: {}
`;

Deno.test("the fast reader reads what configurations are written in", () => {
  assert.deepEqual(parsePlainYaml("a: b # c\nd:\n- 'e'\nf: {}\ng:\n"), {
    kind: "map",
    entries: [
      {
        key: "a",
        at: { line: 1, column: 1 },
        value: {
          kind: "text",
          value: "b",
          plain: true,
          at: { line: 1, column: 4 },
        },
      },
      {
        key: "d",
        at: { line: 2, column: 1 },
        value: {
          kind: "list",
          items: [
            {
              kind: "text",
              value: "e",
              plain: false,
              at: { line: 3, column: 3 },
            },
          ],
        },
      },
      {
        key: "f",
        at: { line: 4, column: 1 },
        value: { kind: "map", entries: [] },
      },
      { key: "g", at: { line: 5, column: 1 }, value: { kind: "null" } },
    ],
  });
});

Deno.test("the fast reader takes a whole configuration, with either line end", () => {
  assert.deepEqual(parsePlainYaml(written), parseTree(written, "f"));
  const crlf = written.replaceAll("\n", "\r\n");
  assert.deepEqual(parsePlainYaml(crlf), parseTree(written, "f"));
});

Deno.test("the fast reader takes a text without content for nothing", () => {
  assert.deepEqual(parsePlainYaml(""), { kind: "null" });
  assert.deepEqual(parsePlainYaml("  \n# only\r\n\n"), { kind: "null" });
});

const declined: Record<string, string> = {
  "an anchor": "a: &x b\n",
  "an alias": "a: *x\n",
  "a tag": "a: !!str b\n",
  "a flow mapping": "a: {b: c}\n",
  "a flow sequence": "a: [b]\n",
  "a literal block": "a: |\n  b\n",
  "a folded block": "a: >\n  b\n",
  "a scalar of two lines": "a: b\n  c\n",
  "a quoted scalar of two lines": 'a: "b\n  c"\n',
  "an escape": 'a: "\\n"\n',
  "a doubled quote": "a: 'it''s'\n",
  "a quoted key": "'a': b\n",
  "an explicit key": "? a\n: b\n",
  "a merge key": "<<: b\n",
  "a doubled key": "a: b\na: c\n",
  "a tab": "a:\tb\n",
  "a lone carriage return": "a: b\rc: d\n",
  "a document mark": "---\na: b\n",
  "a directive": "%YAML 1.2\n---\na: b\n",
  "a byte order mark": "\ufeffa: b\n",
  "a NUL byte": "a: \0\n",
  "an indented root": "  a: b\n",
  "a step back to no level": "a:\n    b: c\n  d: e\n",
  "a key without a space": "a:b\n",
  "a colon inside a value": "a: b: c\n",
  "a sequence at the root": "- a\n",
  "a mapping in a sequence": "a:\n- b: c\n",
  "a sequence in a sequence": "a:\n- - b\n",
  "an empty item": "a:\n-\n",
  "text after a quote": "a: 'b' c\n",
  "a scalar alone": "a\n",
  "a deep nest": Array.from(
    { length: 30 },
    (_, i) => `${" ".repeat(i)}a:\n`,
  ).join(""),
};

for (const [what, text] of Object.entries(declined)) {
  Deno.test(`the fast reader leaves ${what} to the complete one`, () => {
    assert.equal(parsePlainYaml(text), undefined);
  });
}

Deno.test("plain YAML: both readers agree on documents", () => {
  let accepted = 0;
  fc.assert(
    fc.property(document(), (text) => {
      const tree = parsePlainYaml(text);
      if (tree === undefined) return;
      accepted++;
      assert.deepEqual(tree, parseTree(text, "f"));
    }),
    { numRuns: 3000 },
  );
  assert.equal(
    accepted > 1000,
    true,
    `only ${accepted} documents were accepted`,
  );
});

Deno.test("plain YAML: both readers agree on any lines", () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(soup(), { maxLength: 6 }), (lines) => {
      const text = lines.join("\n");
      const tree = parsePlainYaml(text);
      if (tree === undefined) return;
      accepted++;
      assert.deepEqual(tree, parseTree(text, "f"));
    }),
    { numRuns: 20_000 },
  );
  assert.equal(accepted > 300, true, `only ${accepted} texts were accepted`);
});

// Mappings and sequences in every layout that is allowed, some of them broken on purpose.
function document(): fc.Arbitrary<string> {
  const scalar = fc.oneof(
    fc.constantFrom("a", "10.0.0.2", "true", "1.10", "null", "~", "'x # y'"),
    fc.constantFrom('"[::1]:50000"', "LS0tCg==", "a b  c", "a#b", "a:b", "é"),
    fc.constantFrom("[]", "{}", "''", '""', "-a", ":a", "a'b", "a: b", "@a"),
  );
  const comment = fc.constantFrom("", "", "  ", " # c", "  #", " #: - [");
  const indent = fc.integer({ min: 1, max: 4 });
  const key = fc.constantFrom("a", "b", "c", "context", "x@y", "1", "null");
  const leaf = fc.tuple(scalar, comment).map(([s, c]) => [` ${s}${c}`]);
  const list = fc.tuple(
    fc.array(fc.tuple(scalar, comment), { maxLength: 3 }),
    fc.integer({ min: 0, max: 4 }),
    comment,
  ).map(([items, by, c]) => [
    c,
    ...items.map(([s, d]) => `${" ".repeat(by)}- ${s}${d}`),
  ]);
  const { map } = fc.letrec<{ map: string[]; value: string[] }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      list,
      fc.tuple(tie("map"), indent, comment).map(([lines, by, c]) => [
        c,
        ...lines.map((line) => " ".repeat(by) + line),
      ]),
    ),
    map: fc.uniqueArray(fc.tuple(key, tie("value")), {
      maxLength: 4,
      selector: ([name]) => name,
    }).map((entries) =>
      entries.flatMap(([name, [first, ...rest]]) => [
        `${name}:${first}`,
        ...rest,
      ])
    ),
  }));
  const blank = fc.constantFrom("", "", "\n", "# c\n", "      # c\n");
  const end = fc.constantFrom("\n", "\r\n");
  return fc.tuple(blank, map, end, fc.nat(99)).map(([head, lines, eol, at]) => {
    const spaced = lines.flatMap((line, i) => i === at ? [line, " # c"] : line);
    return head + spaced.join(eol) + eol;
  });
}

function soup(): fc.Arbitrary<string> {
  const token = fc.constantFrom(
    ...["a", "b", ":", ": ", " ", "  ", "- ", "-", "#", " #", "'", '"'],
    ...["[]", "{}", "[", "}", ",", "~", "...", "---", "null", "\\", "|", "é"],
    ...["?", "&", "*", "!", "%", "@", "\r", "1.0", "\u1680", "<<"],
  );
  const words = fc.array(token, { maxLength: 6 }).map((list) => list.join(""));
  const shaped = fc.tuple(
    fc.constantFrom("", " ", "  "),
    fc.constantFrom("a: ", "b: ", "c:", "- ", ""),
    words,
  );
  return shaped.map((parts) => parts.join(""));
}
