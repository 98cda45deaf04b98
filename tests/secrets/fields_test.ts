/** No field of any kind of document gets through to whoever looks at a configuration. */

import assert from "node:assert/strict";
import { documentKinds } from "../../config/documents/kinds.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { processMasker } from "../../config/masker.ts";
import { RpcError } from "../../errors.ts";
import { configured } from "../commands/_configured.ts";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";
import { leaksIn, plant, told } from "./_planted.ts";

const formats = ["table", "json", "jsonl", "yaml"];

const one = plant("one");
const two = plant("two");

Deno.test("markers are planted in every kind that has a field for them, and are found", () => {
  assert.equal(one.markers.size, 78);
  assert.equal(leaksIn(one.text).length > one.markers.size, true);
  for (const text of told(["pl4nt-x"]).split("\n").slice(0, -1)) {
    assert.notDeepEqual(leaksIn(text), [], text);
  }
  assert.deepEqual(leaksIn("plain text"), []);
  const { problems } = loadDocuments(one.text, "f");
  assert.deepEqual(
    problems.map(({ level, message }) => `${level}: ${message}`),
    ['warning: The kind "FutureConfig" (v1alpha1) is not known'],
  );
});

Deno.test("machineconfig diff shows no marker, whatever changes", () =>
  withFolder(
    { one: one.text, two: two.text, none: "machine: {}\n" },
    async (folder) => {
      for (
        const [from, to] of [["one", "two"], ["none", "one"], ["one", "none"]]
      ) {
        for (const format of formats) {
          const { out, err, status } = await run([
            "machineconfig",
            "diff",
            `${folder}/${from}`,
            `${folder}/${to}`,
            "-o",
            format,
          ]);
          assert.equal(status, 0, err);
          assert.deepEqual(leaksIn(out + err), [], `${from} ${to} ${format}`);
          assert.ok(out.includes("(redacted, "));
        }
      }
    },
  ));

for (const kind of documentKinds.keys()) {
  Deno.test(`${kind}: one that comes is shown without its markers, and is known from then on`, () => {
    const { text, markers } = plant(`kind-${kind}`, [kind]);
    loadDocuments(text, "f");
    const seen = processMasker.mask(told(markers.values()));
    assert.deepEqual(leaksIn(seen), []);
  });
}

/** Nodes that refuse, and repeat what they have and were sent. */
function refusing() {
  const markers = [...one.markers.values(), ...two.markers.values()];
  return configured(one.text, {
    taken: () => {
      throw new RpcError(
        "INVALID_ARGUMENT",
        `cannot be applied\ndiff: ${told(markers)}`,
      );
    },
  }).handlers;
}

const change = [
  "--validate",
  "off",
  "--allow",
  "role,cluster,addresses,version",
];

for (
  const [name, line] of [
    ["apply-config", (path: string) => ["apply-config", "-f", path]],
    ["patch", (path: string) => ["patch", "mc", "-p", `@${path}`]],
  ] as const
) {
  for (const more of [["--dry-run"], ["--mode", "no-reboot"]]) {
    Deno.test(`${name} ${more.join(" ")} shows no marker`, () =>
      withFolder({ two: two.text }, async (folder) => {
        for (const format of formats) {
          const { get, version, applyConfiguration } = refusing();
          const isDry = more.includes("--dry-run");
          const { out, err } = await run(
            [
              ...line(`${folder}/two`),
              ...more,
              "-o",
              format,
              "--validate",
              "off",
            ],
            {
              n: {
                ...(get === undefined ? {} : { get }),
                ...(version === undefined ? {} : { version }),
                ...(isDry || applyConfiguration === undefined
                  ? {}
                  : { applyConfiguration }),
              },
            },
          );
          assert.deepEqual(leaksIn(out + err), [], format);
          assert.ok((out + err).includes("(redacted, "), out + err);
        }
      }));
  }
}
