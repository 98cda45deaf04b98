import assert from "node:assert/strict";
import { bomOf } from "../../tools/sbom.ts";

const lock = {
  npm: {
    "@a/b@1.0.0_c@2.0.0": { integrity: "sha512-AQI=", dependencies: ["c"] },
    "c@2.0.0": {
      integrity: "sha512-Aw==",
      dependencies: ["d@1.0.0", "@types/node"],
    },
    "d@1.0.0": { integrity: "sha512-BA==" },
    "d@2.0.0": { integrity: "sha512-BQ==" },
    "@types/node@1.0.0": { integrity: "sha512-Bg==" },
  },
};

const bill = bomOf(lock, ["@a/b@1.0.0_c@2.0.0", "@types/node@1.0.0"], {
  osctl: "1.2.3",
  deno: "2.9.6",
});

Deno.test("bomOf lists the runtime and what the program reaches, without types", () => {
  assert.deepEqual(bill.components.map((one) => one["bom-ref"]), [
    "deno@2.9.6",
    "pkg:npm/%40a/b@1.0.0",
    "pkg:npm/c@2.0.0",
    "pkg:npm/d@1.0.0",
  ]);
  assert.equal(bill.metadata.component.version, "1.2.3");
});

Deno.test("bomOf describes a package with scope and hash", () => {
  assert.deepEqual(bill.components[1], {
    type: "library",
    "bom-ref": "pkg:npm/%40a/b@1.0.0",
    group: "@a",
    name: "b",
    version: "1.0.0",
    purl: "pkg:npm/%40a/b@1.0.0",
    hashes: [{ alg: "SHA-512", content: "0102" }],
  });
});

Deno.test("bomOf says who needs whom", () => {
  assert.deepEqual(bill.dependencies, [
    { ref: "osctl", dependsOn: ["deno@2.9.6", "pkg:npm/%40a/b@1.0.0"] },
    { ref: "pkg:npm/%40a/b@1.0.0", dependsOn: ["pkg:npm/c@2.0.0"] },
    { ref: "pkg:npm/c@2.0.0", dependsOn: ["pkg:npm/d@1.0.0"] },
    { ref: "pkg:npm/d@1.0.0", dependsOn: [] },
  ]);
});

Deno.test("bomOf names a package the lock file lacks", () => {
  const torn = { npm: { "a@1.0.0": { integrity: "", dependencies: ["z"] } } };
  assert.throws(() => bomOf(torn, ["a@1.0.0"], { osctl: "1", deno: "2" }), {
    message: 'Cannot find "z" in deno.lock',
  });
});
