import assert from "node:assert/strict";
import { fillLauncher, portable } from "../../tools/portable.ts";

Deno.test("fillLauncher says where it ends, its own number included", () => {
  for (const filler of ["", "x".repeat(74), "x".repeat(75), "x".repeat(76)]) {
    const script = fillLauncher("tail -c +@OFFSET@ # @NAME@\n", {
      NAME: filler,
    });
    const [, offset] = /\+(\d+) /.exec(script) ?? [];
    assert.equal(Number(offset), script.length + 1);
  }
});

Deno.test("fillLauncher counts bytes", () => {
  assert.equal(fillLauncher("é @OFFSET@\n", {}), "é 6\n");
});

Deno.test("fillLauncher refuses a value that is not there", () => {
  assert.throws(() => fillLauncher("@TAG@ @HASH@", { TAG: "v1" }), {
    message: "No value for @HASH@",
  });
});

Deno.test("portable makes the same file of the same parts, whatever their folder and time", async () => {
  const made = await Promise.all(
    ["2001-01-01", "2026-01-02"].map(async (day) => {
      const folder = await Deno.makeTempDir();
      try {
        await Deno.mkdir(`${folder}/bundle`);
        for (const path of ["runtime", "bundle/mod.js", "bundle/a.js"]) {
          await Deno.writeTextFile(`${folder}/${path}`, path);
          await Deno.utime(`${folder}/${path}`, new Date(day), new Date(day));
        }
        const file = await portable({
          platform: "linux-amd64",
          caches: ".cache",
          tag: "v1.2.3",
          runtime: `${folder}/runtime`,
          bundle: `${folder}/bundle`,
        });
        return file.toBase64();
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    }),
  );
  assert.equal(made[0], made[1]);
});
