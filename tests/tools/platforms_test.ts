import assert from "node:assert/strict";
import { parsePlatform } from "../../tools/platforms.ts";

Deno.test("parsePlatform finds a platform by target and by name", () => {
  const { name } = parsePlatform("aarch64-unknown-linux-gnu");
  assert.equal(name, "linux-arm64");
  assert.equal(parsePlatform("darwin-amd64").target, "x86_64-apple-darwin");
});

Deno.test("parsePlatform names what it knows when asked for something else", () => {
  assert.throws(() => parsePlatform("amiga"), {
    message:
      'Cannot build for "amiga": known are linux-amd64, linux-arm64, darwin-amd64, darwin-arm64, windows-amd64',
  });
});
