import assert from "node:assert/strict";
import { UsageError } from "../../../errors.ts";
import { parseReference } from "../../../workflows/image_cache/reference.ts";

const digest = `sha256:${"0a".repeat(32)}`;

for (
  const [text, ...parts] of [
    ["alpine", "registry-1.docker.io", "docker.io", "library/alpine", "latest"],
    ["a/b:1", "registry-1.docker.io", "docker.io", "a/b", "1"],
    ["docker.io/a:1", "registry-1.docker.io", "docker.io", "library/a", "1"],
    ["ghcr.io/a/b/c:v1.2-x", "ghcr.io", "ghcr.io", "a/b/c", "v1.2-x"],
    ["10.0.0.1:5000/a", "10.0.0.1:5000", "10.0.0.1_5000_", "a", "latest"],
    ["localhost/a:1", "localhost", "localhost", "a", "1"],
    [`q.io/a@${digest}`, "q.io", "q.io", "a", undefined, digest],
    [`q.io/a:1@${digest}`, "q.io", "q.io", "a", "1", digest],
  ] as const
) {
  Deno.test(`the image ${text} is taken apart`, () => {
    const { host, registry, repository, tag, digest } = parseReference(text);
    assert.deepEqual(
      [host, registry, repository, tag, digest],
      [...parts, ...Array(5 - parts.length)],
    );
  });
}

for (
  const text of [
    ...["", "A/b", "a/../b", "q.io/", "a:b:c", "a@sha256:12", "a b"],
    ...["v1.13.8", "1.13.8", "https://q.io/a", "q.io/A:v1", "q.io/a:v1 "],
  ]
) {
  Deno.test(`"${text}" is not an image name`, () => {
    assert.throws(() => parseReference(text), UsageError);
  });
}
