import assert from "node:assert/strict";
import { firstEntry } from "../../../simulator/release/boot_entries.ts";
import {
  behaves,
  defaultVersions,
  kubernetesFor,
  minorOf,
  minorReleaseOf,
  playedRelease,
  releaseFor,
  runningRelease,
} from "../../../simulator/release/release.ts";

const cluster = { release: { ...defaultVersions, tag: "v1.12.11" } };

Deno.test("a node runs the release it was booted from, else that of the medium", () => {
  const own = runningRelease({ disk: { bootEntries: undefined }, cluster });
  assert.deepEqual([own.tag, own.sha], ["v1.12.11", defaultVersions.sha]);
  const bootEntries = firstEntry({ tag: "v1.13.0" });
  const other = runningRelease({ disk: { bootEntries }, cluster });
  assert.equal(other.tag, "v1.13.0");
  assert.match(other.sha, /^[0-9a-f]{8}$/);
  assert.notEqual(other.sha, defaultVersions.sha);
  assert.deepEqual([other.kernel, other.etcd], ["6.18.44", "v3.6.12"]);
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

Deno.test("a release brings what belongs to its minor version; the nearest one stands for others", () => {
  const { kernel, containerd, etcd, goVersion } = releaseFor("v1.9.3");
  assert.deepEqual(
    [kernel, containerd, etcd, goVersion],
    ["6.12.25", "2.0.5", "v3.5.21", "go1.23.3"],
  );
  const nearest = ["v1.7.2", "v1.8.0", "v1.14.1", "v1.15.0", "main"];
  assert.deepEqual(nearest.map((tag) => minorReleaseOf(tag).tag), [
    ...["v1.8.4", "v1.8.4", "v1.14.0-rc.1", "v1.14.0-rc.1", "v1.12.11"],
  ]);
  assert.equal(defaultVersions.etcd, "v3.6.11");
});

Deno.test("Kubernetes is the default one where the release supports it", () => {
  const tags = ["v1.8.4", "v1.9.6", "v1.10.0", "v1.11.6", "v1.14.0-rc.1"];
  assert.deepEqual(
    tags.map(kubernetesFor),
    ["1.31.4", "1.32.4", "1.33.6", "1.34.1", "1.34.1"],
  );
});

Deno.test("what a node does follows from the release it was booted from", () => {
  const behaved = (tag: string) => {
    const node = { disk: { bootEntries: firstEntry({ tag }) }, cluster };
    return behaves(node, "appliesOnceBeforeReboot");
  };
  assert.deepEqual(
    ["v1.11.6", "v1.12.0", "v1.13.9", "v1.14.0"].map(behaved),
    [false, true, true, false],
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
