import assert from "node:assert/strict";
import { installerImage } from "../../../simulator/release/boot_entries.ts";

Deno.test("an installer's name says the version, and what it was made from", () => {
  const schematic = "376567988ad370138ad8b2698212367b".padEnd(64, "0");
  const read = (text: string) => installerImage(text, "v1.0.0");
  assert.deepEqual(read("ghcr.io/siderolabs/installer:v1.13.1"), {
    tag: "v1.13.1",
  });
  assert.deepEqual(read(`factory:5000/metal-installer/${schematic}:v1.12.0`), {
    tag: "v1.12.0",
    schematic,
  });
  assert.deepEqual(read("host:5000/installer"), { tag: "v1.0.0" });
  assert.deepEqual(read(`host/installer@sha256:${schematic}`), {
    tag: "v1.0.0",
  });
  assert.equal(read("docker.io/library/nginx:1.27"), undefined);
  assert.equal(read("reinstaller:v1"), undefined);
});
