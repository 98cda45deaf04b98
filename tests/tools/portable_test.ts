import assert from "node:assert/strict";
import { launcherOf } from "../../tools/portable.ts";

Deno.test("launcherOf says where it ends, its own number included", () => {
  for (const filler of ["", "x".repeat(74), "x".repeat(75), "x".repeat(76)]) {
    const script = launcherOf("tail -c +@OFFSET@ # @NAME@\n", { NAME: filler });
    const [, offset] = /\+(\d+) /.exec(script) ?? [];
    assert.equal(Number(offset), script.length + 1);
  }
});

Deno.test("launcherOf counts bytes", () => {
  assert.equal(launcherOf("é @OFFSET@\n", {}), "é 6\n");
});

Deno.test("launcherOf refuses a value that is not there", () => {
  assert.throws(() => launcherOf("@TAG@ @HASH@", { TAG: "v1" }), {
    message: "No value for @HASH@",
  });
});
