import assert from "node:assert/strict";
import { fileKind, modeText, octalMode } from "../../commands/_file_mode.ts";

/** Mode as Go sends it: bits for the kind, and permissions. */
function bits(permissions: number, ...set: number[]): number {
  return set.reduce((mode, bit) => mode + 2 ** bit, permissions);
}

Deno.test("modeText prints kinds and permissions", () => {
  assert.equal(modeText(0o644), "-rw-r--r--");
  assert.equal(modeText(bits(0o755, 31)), "drwxr-xr-x");
  assert.equal(modeText(bits(0o777, 27)), "Lrwxrwxrwx");
  assert.equal(modeText(bits(0o660, 26)), "Drw-rw----");
  assert.equal(modeText(bits(0o666, 26, 21)), "Dcrw-rw-rw-");
  assert.equal(modeText(bits(0o600, 25)), "prw-------");
  assert.equal(modeText(bits(0o755, 24)), "Srwxr-xr-x");
  assert.equal(modeText(bits(0o777, 31, 20)), "dtrwxrwxrwx");
  assert.equal(modeText(bits(0o755, 23)), "urwxr-xr-x");
  assert.equal(modeText(bits(0o755, 23, 22)), "ugrwxr-xr-x");
});

Deno.test("octalMode has four digits", () => {
  assert.equal(octalMode(0o644), "0644");
  assert.equal(octalMode(bits(0o007, 31)), "0007");
  assert.equal(octalMode(bits(0o755, 23)), "4755");
  assert.equal(octalMode(bits(0o777, 31, 20)), "1777");
});

Deno.test("fileKind names what a file is", () => {
  const all = [
    bits(0o644),
    bits(0o755, 31),
    bits(0o777, 27),
    bits(0o600, 25),
    bits(0o600, 24),
    bits(0o600, 26),
    bits(0o600, 26, 21),
    bits(0o600, 19),
  ];
  assert.deepEqual(all.map(fileKind), [
    "file",
    "directory",
    "symlink",
    "pipe",
    "socket",
    "device",
    "device",
    "other",
  ]);
});
