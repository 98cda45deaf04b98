/** No field of any kind of document gets through to a reader of a configuration. */

import assert from "node:assert/strict";
import { documentKinds } from "../../config/documents/kinds.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import type { Shape } from "../../config/documents/schema.ts";
import { processMasker } from "../../lib/masker.ts";
import { RpcError } from "../../errors.ts";
import { secretKey } from "../../transport/connect/status_text.ts";
import { configure } from "../commands/_configured_nodes.ts";
import type { FakeNode } from "../_fake.ts";
import { withFolder } from "../_folder.ts";
import { run, runOn } from "../_run.ts";
import { leaksIn, makeLeaks, plant } from "./_planted_secrets.ts";
import { plantValid } from "./_planted_valid.ts";

/** Names of fields that are secrets. */
function secretNames(shape: Shape): readonly string[] {
  switch (shape.shape) {
    case "list":
    case "map":
      return secretNames(shape.of);
    case "struct":
      return Object.entries(shape.fields).flatMap(([name, field]) => [
        ...field.secret ? [name] : [],
        ...secretNames(field.shape),
      ]);
    default:
      return [];
  }
}

Deno.test("secrets are known by the names of their fields, wherever a node logs them", () => {
  const names = new Set(
    [...documentKinds.values()].flatMap(({ fields }) =>
      secretNames({ shape: "struct", fields })
    ),
  );
  assert.ok(names.size > 10);
  assert.deepEqual(
    [...names].filter((name) => !secretKey.test(name)),
    // PEM and a URL, which are known by what they look like.
    ["key", "ca", "apiUrl"],
  );
});

const formats = ["table", "json", "jsonl", "yaml"];

const one = plant("one");
const two = plant("two");

Deno.test("markers are planted in every kind that has a field for them, and are found", () => {
  assert.equal(one.markers.size, 108);
  assert.equal(leaksIn(one.text).length > one.markers.size, true);
  for (const text of makeLeaks(["pl4nt-x"]).split("\n").slice(0, -1)) {
    assert.notDeepEqual(leaksIn(text), [], text);
  }
  assert.deepEqual(leaksIn("plain text"), []);
  const { problems } = loadDocuments(one.text, "f");
  assert.deepEqual(
    problems.map(({ level, message }) => `${level}: ${message}`),
    ['warning: The kind "FutureConfig" (v1alpha1) is unknown'],
  );
});

Deno.test("documents of every kind that nodes accept have a marker in every field, but where one would be wrong", () =>
  assert.deepEqual(plantValid().refused, [
    // Its example has no encryption; those of other volumes have.
    "VolumeConfig.encryption.keys.0.static.passphrase",
    // The example has a user, who has no token.
    "RegistryAuthConfig.auth",
    "RegistryAuthConfig.identityToken",
    // They are PEM.
    "RegistryTLSConfig.clientIdentity.key",
    "RegistryTLSConfig.ca",
    "KubeAPIServerCAConfig.issuingCA.key",
    "KubeAggregatorCAConfig.issuingCA.key",
    "KubeServiceAccountConfig.issuer.privateKey",
  ]));

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
    const seen = processMasker.mask(makeLeaks(markers.values()));
    assert.deepEqual(leaksIn(seen), []);
  });
}

/** A node that refuses, and repeats what it has and was sent. */
function secretNode(isSent: boolean): FakeNode {
  const markers = [...one.markers.values(), ...two.markers.values()];
  const { handlers: { applyConfiguration: _, ...others } } = configure(
    one.text,
  );
  if (!isSent) return others;
  const message = `cannot be applied\ndiff: ${makeLeaks(markers)}`;
  return {
    ...others,
    applyConfiguration: () =>
      Promise.reject(new RpcError("INVALID_ARGUMENT", message)),
  };
}

const flags = ["--validate", "off", "--allow", "unknown-kind"];

for (
  const [name, lineOf] of [
    ["apply-config", (path: string) => ["apply-config", "-f", path]],
    ["patch", (path: string) => ["patch", "mc", "-p", `@${path}`]],
    ["edit", () => ["edit", "mc", "--yes"]],
  ] as const
) {
  for (const mode of ["--dry-run", "--mode=no-reboot"]) {
    Deno.test(`${name} ${mode} shows no marker`, () =>
      withFolder({ two: two.text }, async (folder) => {
        const path = `${folder}/two`;
        const env = { EDITOR: `cp ${path}` };
        for (const format of formats) {
          const line = [...lineOf(path), ...flags, mode, "-o", format];
          const n = secretNode(mode !== "--dry-run");
          const { out, err } = await runOn(line, { n }, { env });
          // An edit that was refused is kept.
          for (const [, kept = ""] of err.matchAll(/saved to "(.*)"/g)) {
            await Deno.remove(kept);
          }
          assert.deepEqual(leaksIn(out + err), [], format);
          assert.ok((out + err).includes("(redacted, "), out + err);
        }
      }));
  }
}
