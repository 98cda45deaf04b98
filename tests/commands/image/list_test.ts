import assert from "node:assert/strict";
import { run } from "../../_run.ts";
import { imageList } from "../../workflows/operations/_images.ts";

Deno.test("image list shows the header of a node without images", async () => {
  const { out, status } = await run("image list", {
    a: { imageList: imageList({}) },
  });
  assert.equal(out, "NODE   IMAGE   DIGEST   SIZE   CREATED\n");
  assert.equal(status, 0);
});
