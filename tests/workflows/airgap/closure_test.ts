import assert from "node:assert/strict";
import {
  collectClosure,
  reference,
} from "../../../workflows/airgap/closure.ts";

const [a, b] = ["a", "b"].map((digit) => `sha256:${digit.repeat(64)}`);

Deno.test("a closure has each image once, with all that need it, and with each digest it is needed with", () => {
  const images = collectClosure([
    { image: "registry.k8s.io/pause:3.10.1", source: "x" },
    { image: "registry.k8s.io/pause:3.10.1", source: "y", digest: a! },
    { image: "nginx", source: "x" },
    { image: "docker.io/library/nginx:latest", source: "z", digest: a! },
    { image: `docker.io/library/nginx:latest@${b}`, source: "y" },
    // The same image as the one above, without its tag.
    { image: `registry.k8s.io/pause@${a}`, source: "w" },
    { image: `quay.io/only/digest@${b}`, source: "x" },
  ]);
  assert.deepEqual(images.map((one) => [reference(one), one.sources]), [
    [`docker.io/library/nginx:latest@${a}`, ["z", "x"]],
    [`docker.io/library/nginx:latest@${b}`, ["y", "x"]],
    [`quay.io/only/digest@${b}`, ["x"]],
    [`registry.k8s.io/pause:3.10.1@${a}`, ["y", "x", "w"]],
  ]);
});
