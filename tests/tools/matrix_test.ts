import assert from "node:assert/strict";
import { knownMinors } from "../../config/releases.ts";
import { listVersions, parsePart } from "../../tools/matrix.ts";

Deno.test("parsePart reads a share, and takes nothing for all", () => {
  assert.equal(parsePart([]), "1/1");
  assert.equal(parsePart(["--part", "3/8"]), "3/8");
  assert.equal(parsePart(["--part=8/8"]), "8/8");
});

Deno.test("parsePart names a share that there is not", () => {
  for (const wrong of ["0/8", "9/8", "3", "a/b", "1/0"]) {
    assert.throws(() => parsePart(["--part", wrong]), {
      message:
        `Cannot read "--part ${wrong}": give --part and a share, such as 3/8`,
    });
  }
  assert.throws(() => parsePart(["3/8"]), /give --part and a share/);
});

Deno.test("all shares together run the wire suite on every version", () => {
  const all = knownMinors.map((minor) => `v1.${minor}`);
  assert.deepEqual(listVersions("1/1"), all);
  assert.deepEqual(listVersions("2/3"), ["v1.9", "v1.12"]);
  const shares = ["1/8", "2/8", "3/8", "4/8", "5/8", "6/8", "7/8", "8/8"];
  assert.deepEqual(shares.flatMap(listVersions), all);
});
