import assert from "node:assert/strict";
import { platformOf } from "../../tools/platforms.ts";

Deno.test("platformOf finds a platform by target and by name", () => {
  const { name } = platformOf("aarch64-unknown-linux-gnu");
  assert.equal(name, "linux-arm64");
  assert.equal(platformOf("darwin-amd64").target, "x86_64-apple-darwin");
});

Deno.test("platformOf names what it knows when asked for something else", () => {
  assert.throws(() => platformOf("amiga"), {
    message:
      'Cannot build for "amiga": known are linux-amd64, linux-arm64, darwin-amd64, darwin-arm64, windows-amd64',
  });
});
