import assert from "node:assert/strict";
import { run } from "../../_run.ts";

Deno.test("image os-bundle lists the images of this client's release", async () => {
  const { out, status } = await run("image os-bundle");
  assert.equal(
    out,
    `ghcr.io/siderolabs/installer:v1.12.11
ghcr.io/siderolabs/installer-base:v1.12.11
ghcr.io/siderolabs/imager:v1.12.11
ghcr.io/siderolabs/talos:v1.12.11
ghcr.io/siderolabs/talosctl-all:v1.12.11
ghcr.io/siderolabs/overlays:v1.12.11
ghcr.io/siderolabs/extensions:v1.12.11
`,
  );
  assert.equal(status, 0);
  assert.equal((await run("image talos-bundle")).out, out);
});

Deno.test("image os-bundle -o jsonl carries the image", async () => {
  const { out } = await run("image os-bundle v1.11.0-alpha.0 -o jsonl");
  assert.deepEqual(JSON.parse(out.split("\n")[0] ?? ""), {
    image: "ghcr.io/siderolabs/installer:v1.11.0-alpha.0",
  });
});

Deno.test("image os-bundle refuses what is not a release, and those before v1.11", async () => {
  for (const version of ["1.12.1", "v1.12", "v1.10.4", "v2.0.0", "latest"]) {
    const { err, status } = await run(`image os-bundle ${version}`);
    assert.match(err, /must be a version such as v1.12.11, v1.11 or later/);
    assert.equal(status, 2);
  }
});
