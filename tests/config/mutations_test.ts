/** Examples of all documents, spoiled at each place: nodes, `validate` and the JSON Schema agree, or the difference is listed. */

import { Ajv2020 } from "ajv/dist/2020.js";
import assert from "node:assert/strict";
import { jsonSchema } from "../../config/documents/json_schema.ts";
import { examplesIn } from "./documents/_examples_in.ts";
import { documentKinds } from "../../config/documents/kinds.ts";
import { loadDocuments, mainKind } from "../../config/documents/load.ts";
import type {
  DocumentKind,
  ExampleValue,
} from "../../config/documents/schema.ts";
import { validateDocuments } from "../../config/validate.ts";

type Mapping = { readonly [key: string]: ExampleValue };

/** What takes the place of a value, or is appended to a list. */
const others: readonly ExampleValue[] = [
  ...[null, {}, [], [null], [{}]],
  ...["", "?!", 7, true],
];

/** Variants of a value, each with one fault, and what was done. */
function* spoil(
  value: ExampleValue,
  path = "",
): Generator<readonly [change: string, ExampleValue]> {
  if (path !== "") {
    for (const other of others) {
      yield [`${path} = ${JSON.stringify(other)}`, other];
    }
  }
  if (isList(value)) {
    for (const other of others) {
      yield [`${path} + ${JSON.stringify(other)}`, [...value, other]];
    }
    for (const [index, item] of value.entries()) {
      for (const [change, spoiled] of spoil(item, `${path}[${index}]`)) {
        yield [change, value.with(index, spoiled)];
      }
    }
  }
  if (!isMapping(value)) return;
  yield [`${path} + unknown`, { ...value, unknown: "a" }];
  for (const [key, item] of Object.entries(value)) {
    const place = path === "" ? key : `${path}.${key}`;
    const { [key]: _, ...rest } = value;
    yield [`- ${place}`, rest];
    for (const [change, spoiled] of spoil(item, place)) {
      yield [change, { ...value, [key]: spoiled }];
    }
  }
}

function isList(value: ExampleValue): value is readonly ExampleValue[] {
  return Array.isArray(value);
}

/** Refused by the schema alone, by kind and change. */
const onlySchema: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/null/, "nodes take null for no value; an editor marks what is unfinished"],
  [/^v1alpha1 version = /, "nodes ignore it"],
  [/^v1alpha1 machine\.type = ""$/, "nodes take it for a worker"],
  [/\.(crt|key) = true$/, "nodes read the word as base64"],
  [
    /(encryption|systemDiskEncryption\.\w+)\.(cipher|options\S*) [=+] /,
    "nodes see it when they encrypt",
  ],
  [/machine\.files\[0\]\.op = /, "nodes see it when they write the file"],
  [/diskSelector\.type = /, "no disk has it"],
  [/proxy\.mode = /, "kube-proxy sees it"],
  [/inlineManifests\[0\]\.contents = (7|true)$/, "nodes read it as a text"],
  [/cni\.name = /, "only control planes need a known one"],
  [
    /(network\.mode|networks\S*|nodeAddressSortAlgorithm|xmitHashPolicy) [=+] ""$/,
    "nodes take it for the default",
  ],
  [/issuerURL = (7|true)$/, "nodes read it as a URL"],
  [/issuers\S* [=+] (7|true)$/, "nodes read it as a URL"],
];

/** Refused as a value of the wrong shape, but not by the schema. */
const onlyShape: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\.(crt|key) = "\?!"$/, "the schema does not check base64"],
];

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addVocabulary(["patternErrorMessage"]);
const fits = ajv.compile(jsonSchema());

/** Whether `validate` refuses a text, or with `shape`, whether it does for a value of the wrong shape. */
function isRefused(text: string, only?: "shape"): boolean {
  const loaded = loadDocuments(text, "f");
  const problems = only === "shape" || loaded.problems.length > 0
    ? loaded.problems
    : validateDocuments(loaded, { mode: "cloud" });
  return problems.some(({ level }) => level === "error");
}

/** The least that nodes take as the main document. */
const worker: Mapping = {
  machine: { type: "worker", ca: { crt: "YQ==" } },
  cluster: { controlPlane: { endpoint: "https://a:6443" } },
};

/** Documents of a kind, each with one fault. */
function* spoiledDocuments(
  { kind, examples, fields }: DocumentKind,
): Generator<readonly [change: string, document: Mapping]> {
  const [first] = examples;
  const identity: Mapping = kind === mainKind
    ? {}
    : { apiVersion: "v1alpha1", kind };
  const least = kind === mainKind ? worker : first?.value as Mapping;
  for (const { value } of examples) {
    for (const [change, spoiled] of spoil(value)) {
      yield [change, { ...identity, ...spoiled as Mapping }];
    }
  }
  for (const [path, value] of examplesIn(fields)) {
    // Whole parts are in the examples of the kind.
    if (kind === mainKind && path.length === 1) continue;
    const place = path.join(".").replaceAll(".[]", "[0]");
    for (const [change, spoiled] of spoil(value, place)) {
      yield [change, { ...identity, ...put(least, path, spoiled) as Mapping }];
    }
  }
}

function put(
  value: ExampleValue | undefined,
  [key, ...rest]: readonly string[],
  part: ExampleValue,
): ExampleValue {
  if (key === undefined) return part;
  if (key === "[]") return [put(undefined, rest, part)];
  const around = isMapping(value) ? value : {};
  return { ...around, [key]: put(around[key], rest, part) };
}

function isMapping(value: ExampleValue | undefined): value is Mapping {
  return typeof value === "object" && value !== null && !isList(value);
}

const used = new Set<RegExp>();

for (const kind of documentKinds.values()) {
  Deno.test(`${kind.kind}: validate and the schema refuse the same of its spoiled examples`, () => {
    const seen = new Set<string>();
    const different: string[] = [];
    for (const [change, document] of spoiledDocuments(kind)) {
      const text = JSON.stringify(document);
      if (seen.has(text)) continue;
      seen.add(text);
      const fitting = fits(document);
      const line = `${kind.kind} ${change}`;
      const listed = (fitting ? onlyShape : onlySchema)
        .find(([pattern]) => pattern.test(line));
      if (isRefused(text, fitting ? "shape" : undefined) !== fitting) continue;
      if (listed === undefined) different.push(line);
      else used.add(listed[0]);
    }
    assert.ok(seen.size > 10, `${seen.size}`);
    assert.deepEqual(different, []);
  });
}

Deno.test("every difference between validate and the schema that is listed is one", () => {
  const left = [...onlySchema, ...onlyShape]
    .filter(([pattern]) => !used.has(pattern));
  assert.deepEqual(left, []);
});
