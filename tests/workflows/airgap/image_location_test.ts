import assert from "node:assert/strict";
import {
  mirrorReference,
  parsePlace,
} from "../../../workflows/airgap/image_location.ts";

Deno.test("a place is a registry or a directory, by how it is written", () => {
  for (
    const [text, expected] of [
      ["/media/usb/images/", "directory /media/usb/images"],
      ["./images", "directory ./images"],
      ["images", "directory images"],
      ["images/of.today", "directory images/of.today"],
      ["/", "directory /"],
      ["registry.example.com", "registry registry.example.com  "],
      ["10.0.0.1:5000/a/b/", "registry 10.0.0.1:5000  a/b/"],
      ["localhost/a", "registry localhost  a/"],
      ["https://mirror:5000", "registry mirror:5000 https "],
      ["http://[::1]:5000/x", "registry [::1]:5000 http x/"],
    ] as const
  ) {
    const place = parsePlace(text);
    const found = place.kind === "directory"
      ? place.path
      : `${place.host} ${place.scheme ?? ""} ${place.prefix}`;
    assert.equal(`${place.kind} ${found}`, expected);
  }
  for (const text of ["", "a b.c", "https://", "r.example.com/A", "ftp://x"]) {
    assert.throws(() => parsePlace(text), /is neither a registry/);
  }
});

Deno.test("a mirror has images under their own repositories", () => {
  const digest = `sha256:${"a".repeat(64)}`;
  for (
    const [name, mirror, text] of [
      ["docker.io/library/nginx:1", "m.io", `m.io/library/nginx:1@${digest}`],
      ["registry.k8s.io/pause:3", "http://m:1/x", `m:1/x/pause:3@${digest}`],
    ] as const
  ) {
    const place = parsePlace(mirror);
    assert.equal(place.kind, "registry");
    if (place.kind !== "registry") continue;
    const found = mirrorReference({ name, digest, sources: [] }, place);
    assert.equal(found.text, text);
    assert.equal(found.host, place.host);
  }
});
