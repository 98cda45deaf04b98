import assert from "node:assert/strict";
import { firstEntry } from "../../../simulator/boot/boot_entries.ts";
import {
  defaultVersions,
  minorOf,
  runningRelease,
} from "../../../simulator/node/release.ts";

const cluster = { release: { ...defaultVersions, tag: "v1.12.11" } };

Deno.test("a node runs the release it was booted from, else that of the medium", () => {
  const own = runningRelease({ disk: { bootEntries: undefined }, cluster });
  assert.deepEqual([own.tag, own.sha], ["v1.12.11", defaultVersions.sha]);
  const bootEntries = firstEntry({ tag: "v1.13.0" });
  const other = runningRelease({ disk: { bootEntries }, cluster });
  assert.equal(other.tag, "v1.13.0");
  assert.match(other.sha, /^[0-9a-f]{8}$/);
  assert.notEqual(other.sha, defaultVersions.sha);
  assert.equal(other.kernel, defaultVersions.kernel);
});

Deno.test("releases behave by their minor version", () => {
  const minor = (tag: string) =>
    minorOf({ disk: { bootEntries: firstEntry({ tag }) }, cluster });
  assert.deepEqual(
    ["v1.9.5", "v1.12.11", "v1.13.0-alpha.0", "v1.14.2", "v2.0.0", "main"]
      .map(minor),
    [9, 12, 13, 14, Infinity, 12],
  );
});
