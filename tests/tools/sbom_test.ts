import assert from "node:assert/strict";
import { type BomParts, makeBom } from "../../tools/sbom.ts";

const none = { texts: [], notices: [], folder: "", needs: [] };

const parts: BomParts = {
  lock: {
    npm: {
      "@a/b@1.0.0_c@2.0.0": { integrity: "sha512-AQI=" },
      "c@2.0.0": { integrity: "sha512-Aw==" },
      "d@1.0.0": { integrity: "sha512-BA==" },
    },
  },
  packages: {
    roots: ["@a/b@1.0.0_c@2.0.0"],
    all: [
      {
        key: "@a/b@1.0.0_c@2.0.0",
        name: "@a/b",
        version: "1.0.0",
        license: "(MIT AND ISC)",
        texts: [],
        notices: [],
        folder: "",
        needs: ["c@2.0.0"],
      },
      {
        key: "c@2.0.0",
        name: "c",
        version: "2.0.0",
        license: "MIT",
        texts: [],
        notices: [],
        folder: "",
        needs: ["d@1.0.0"],
      },
      { key: "d@1.0.0", name: "d", version: "1.0.0", license: "ISC", ...none },
    ],
  },
  osctl: { version: "1.2.3", sha256: "0a" },
  deno: { version: "2.9.6", sha256: "0b" },
};

const bill = makeBom(parts);

Deno.test("makeBom describes the executable and the runtime in it", () => {
  assert.deepEqual(bill.metadata.component, {
    type: "application",
    "bom-ref": "osctl",
    name: "osctl",
    version: "1.2.3",
    hashes: [{ alg: "SHA-256", content: "0a" }],
    licenses: [{ license: { id: "Apache-2.0" } }],
  });
  assert.deepEqual(bill.components[0], {
    type: "platform",
    "bom-ref": "deno@2.9.6",
    name: "deno",
    version: "2.9.6",
    hashes: [{ alg: "SHA-256", content: "0b" }],
    licenses: [{ license: { id: "MIT" } }],
  });
});

Deno.test("makeBom lists the runtime and every package", () => {
  assert.deepEqual(bill.components.map((one) => one["bom-ref"]), [
    "deno@2.9.6",
    "pkg:npm/%40a/b@1.0.0",
    "pkg:npm/c@2.0.0",
    "pkg:npm/d@1.0.0",
  ]);
});

Deno.test("makeBom describes a package with scope, hash and licence", () => {
  assert.deepEqual(bill.components[1], {
    type: "library",
    "bom-ref": "pkg:npm/%40a/b@1.0.0",
    group: "@a",
    name: "b",
    version: "1.0.0",
    purl: "pkg:npm/%40a/b@1.0.0",
    hashes: [{ alg: "SHA-512", content: "0102" }],
    licenses: [{ expression: "(MIT AND ISC)" }],
  });
  assert.deepEqual(bill.components[2]?.licenses, [{ license: { id: "MIT" } }]);
});

Deno.test("makeBom says who needs whom", () => {
  assert.deepEqual(bill.dependencies, [
    { ref: "osctl", dependsOn: ["deno@2.9.6", "pkg:npm/%40a/b@1.0.0"] },
    { ref: "pkg:npm/%40a/b@1.0.0", dependsOn: ["pkg:npm/c@2.0.0"] },
    { ref: "pkg:npm/c@2.0.0", dependsOn: ["pkg:npm/d@1.0.0"] },
    { ref: "pkg:npm/d@1.0.0", dependsOn: [] },
  ]);
});

Deno.test("makeBom names a package the lock file lacks", () => {
  assert.throws(() => makeBom({ ...parts, lock: { npm: {} } }), {
    message: 'Cannot find "@a/b@1.0.0_c@2.0.0" in deno.lock',
  });
});
