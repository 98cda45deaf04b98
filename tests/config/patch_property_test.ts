import assert from "node:assert/strict";
import fc from "fast-check";
import { diffDocuments, patchBetween } from "../../config/diff.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { patchText, readPatch } from "../../config/patch.ts";
import type { ConfigNode, MapNode } from "../../config/tree/node.ts";
import { writeDocuments } from "../../config/tree/write.ts";
import { ConfigError } from "../../errors.ts";
import { anyDocuments, arbitraryRelated } from "./_arbitrary.ts";

const numRuns = 150;

function applyPatch(text: string, ...patches: readonly string[]): string {
  const read = patches.map((patch) => readPatch(patch, "p.yaml"));
  return patchText(text, "c.yaml", read).text;
}

function canonical(text: string): string {
  return encodeDocuments(loadDocuments(text, "c.yaml").documents);
}

/** Reports whether documents cannot be combined, which no patch may lead to. */
function isSound(text: string): boolean {
  return loadDocuments(text, "c.yaml").problems
    .every(({ level }) => level !== "error");
}

/** Leaves lists out, since elements are added to them every time. */
function withoutLists(node: ConfigNode): ConfigNode {
  if (node.kind !== "map") return node;
  const entries = node.entries.flatMap((entry) =>
    entry.value.kind === "list"
      ? []
      : [{ ...entry, value: withoutLists(entry.value) }]
  );
  return { ...node, entries };
}

Deno.test("a patch without lists, which would grow each time, changes nothing the second time", () => {
  fc.assert(
    fc.property(arbitraryRelated(), ([config, patch]) => {
      const text = writeDocuments(config);
      const change = writeDocuments(patch.map(withoutLists));
      const once = attempt(() => applyPatch(text, change));
      fc.pre(once !== undefined);
      assert.equal(applyPatch(once ?? "", change), once);
    }),
    { numRuns },
  );
});

Deno.test("an empty patch changes no byte", () => {
  fc.assert(
    fc.property(anyDocuments({ nulls: true }), (config) => {
      const text = writeDocuments(config);
      fc.pre(isSound(text));
      for (const patch of ["", " \n", "{}", "# nothing\n", "[]"]) {
        assert.equal(applyPatch(text, patch), text);
      }
    }),
    { numRuns },
  );
});

Deno.test("the patch between two configurations makes the second out of the first", () => {
  fc.assert(
    fc.property(
      arbitraryRelated({ nulls: true }, { nulls: true }),
      ([first, second]) => {
        const [from, to] = [first, second].map((nodes) =>
          writeDocuments(nodes)
        );
        assert.ok(from !== undefined && to !== undefined);
        fc.pre(isSound(from) && isSound(to));
        const patch = patchBetween(documents(from), documents(to));
        assert.equal(inOrder(applyPatch(from, patch)), inOrder(to));
      },
    ),
    { numRuns: 3 * numRuns },
  );
});

Deno.test("configurations with the same values have no differences", () => {
  fc.assert(
    fc.property(anyDocuments({ nulls: true }), (config) => {
      const text = writeDocuments(config);
      fc.pre(isSound(text));
      const other = canonical(writeDocuments(config.map(reverse)));
      assert.deepEqual(diffDocuments(documents(text), documents(other)), []);
      assert.equal(patchBetween(documents(text), documents(other)), "");
    }),
    { numRuns },
  );
});

Deno.test("comments of what a patch does not touch stay", () => {
  fc.assert(
    fc.property(arbitraryRelated(), ([config, patch]) => {
      const text = writeDocuments(config.map(comment));
      const change = writeDocuments(patch);
      const result = attempt(() => applyPatch(text, change));
      fc.pre(result !== undefined);
      const touched = new Set(
        patch.flatMap(({ entries }) => entries.map(({ key }) => key)),
      );
      for (const { entries } of config) {
        for (const { key } of entries) {
          if (touched.has(key)) continue;
          assert.ok(result?.includes(`# about ${key}\n`), result);
          assert.ok(result?.includes(` # beside ${key}\n`), result);
        }
      }
    }),
    { numRuns },
  );
});

function attempt(act: () => string): string | undefined {
  try {
    return act();
  } catch (error) {
    // Documents that cannot be combined, or types that do.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function documents(text: string) {
  return loadDocuments(text, "c.yaml").documents;
}

// Documents that are added come last, wherever they stood.
function inOrder(text: string): string {
  return canonical(text).split(/^---\n/m).toSorted().join("---\n");
}

function reverse(root: MapNode): MapNode {
  return { ...root, entries: root.entries.toReversed() };
}

function comment(root: MapNode): MapNode {
  const entries = root.entries.map((entry) => ({
    ...entry,
    before: [`about ${entry.key}`],
    line: `beside ${entry.key}`,
  }));
  return { ...root, entries };
}
