import assert from "node:assert/strict";
import { firstEntry } from "../../../simulator/release/boot_entries.ts";
import {
  defaultVersions,
  findMinor,
  playedRelease,
} from "../../../simulator/release/release.ts";

const cluster = { release: { ...defaultVersions, tag: "v1.12.11" } };

Deno.test("releases behave by their minor version", () => {
  const minor = (tag: string) =>
    findMinor({ disk: { bootEntries: firstEntry({ tag }) }, cluster });
  assert.deepEqual(
    ["v1.9.5", "v1.12.11", "v1.13.0-alpha.0", "v1.14.2", "v2.0.0", "main"]
      .map(minor),
    [9, 12, 13, 14, Infinity, 12],
  );
});

Deno.test("a minor version is played by its last release, any other release as itself", () => {
  const texts = ["v1.8", "1.9", "v1.9.3", "1.14.0-rc.1", "v1.14"];
  assert.deepEqual(texts.map(playedRelease), [
    ...["v1.8.4", "v1.9.6", "v1.9.3", "v1.14.0-rc.1", "v1.14.0-rc.1"],
  ]);
  const unplayed = ["v1.7", "v1.15.0", "v2.1.0", "v1", "main", "v1.9.x", ""];
  assert.deepEqual(unplayed.filter((text) => playedRelease(text)), []);
});
