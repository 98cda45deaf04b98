import assert from "node:assert/strict";
import { minorReleases } from "../../simulator/release/version_facts.ts";
import { partOf, versionsOf } from "../../tools/matrix.ts";

Deno.test("partOf reads a share, and takes nothing for all", () => {
  assert.equal(partOf([]), "1/1");
  assert.equal(partOf(["--part", "3/8"]), "3/8");
  assert.equal(partOf(["--part=8/8"]), "8/8");
});

Deno.test("partOf names a share that there is not", () => {
  for (const wrong of ["0/8", "9/8", "3", "a/b", "1/0"]) {
    assert.throws(() => partOf(["--part", wrong]), {
      message:
        `Cannot read "--part ${wrong}": give --part and a share, such as 3/8`,
    });
  }
  assert.throws(() => partOf(["3/8"]), /give --part and a share/);
});

Deno.test("all shares together run the wire suite on every version", () => {
  const all = Object.keys(minorReleases).map((minor) => `v1.${minor}`);
  assert.deepEqual(versionsOf("1/1"), all);
  assert.deepEqual(versionsOf("2/3"), ["v1.9", "v1.12"]);
  const shares = ["1/8", "2/8", "3/8", "4/8", "5/8", "6/8", "7/8", "8/8"];
  assert.deepEqual(shares.flatMap(versionsOf), all);
});
