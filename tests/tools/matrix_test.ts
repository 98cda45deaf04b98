import assert from "node:assert/strict";
import { partOf } from "../../tools/matrix.ts";

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
