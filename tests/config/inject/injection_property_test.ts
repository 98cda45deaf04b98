import assert from "node:assert/strict";
import fc from "fast-check";
import { parseAllDocuments } from "yaml";
import { injectServiceAccounts } from "../../../config/inject/service_accounts.ts";
import { choices, type Json, objects, written } from "./_manifests.ts";
import { model } from "./_model.ts";

function inject(text: string): string {
  return injectServiceAccounts(text, { file: "f", roles: ["os:reader"] }).text;
}

function values(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS();
  });
}

const numRuns = 200;

Deno.test("injection means what it should, however manifests are written", () => {
  fc.assert(
    fc.property(objects, choices, (objects, choices) => {
      const text = written(objects, choices);
      assert.deepEqual(
        values(text),
        objects,
        "the generator writes what it should",
      );
      assert.deepEqual(values(inject(text)), model(objects));
    }),
    { numRuns },
  );
});

Deno.test("injection a second time changes no byte", () => {
  fc.assert(
    fc.property(objects, choices, (objects, choices) => {
      const once = inject(written(objects, choices));
      assert.equal(inject(once), once);
    }),
    { numRuns },
  );
});

Deno.test("injection keeps every comment, in order", () => {
  fc.assert(
    fc.property(objects, choices, (objects, choices) => {
      const text = written(objects, choices);
      const comments = (text: string) => text.match(/#c\d+/g) ?? [];
      assert.deepEqual(comments(inject(text)), comments(text));
    }),
    { numRuns },
  );
});

Deno.test("injection only adds where nothing has to go", () => {
  fc.assert(
    fc.property(objects, choices, (objects, choices) => {
      const kept = cleaned(objects);
      fc.pre(Array.isArray(kept) && kept.length > 0);
      const text = written(kept as Json[], choices);
      const after = inject(text);
      let at = 0;
      for (const character of after) if (character === text[at]) at++;
      assert.equal(text.slice(at).trim(), "");
    }),
    { numRuns },
  );
});

/** Without empty values and what looks injected. */
function cleaned(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.filter((item) => item !== null && !isInjected(item))
      .map(cleaned);
  }
  const entries = Object.entries(value).filter(([_, one]) => one !== null)
    .map(([key, one]) => [key, cleaned(one)] as const)
    .filter(([_, one]) => !Array.isArray(one) || one.length > 0);
  return Object.fromEntries(entries);
}

function isInjected(item: Json): boolean {
  return typeof item === "object" && item !== null && "name" in item &&
    item.name === "talos-secrets";
}
