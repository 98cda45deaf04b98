import assert from "node:assert/strict";
import {
  imageName,
  imageRepository,
} from "../../../commands/_kit/image_input.ts";
import { InputProblem } from "../../../commands/_kit/inputs.ts";
import { run } from "../../_run.ts";

Deno.test("an image repository has no tag and no digest", () => {
  assert.equal(imageRepository("10.0.0.1:5000/a/b"), "10.0.0.1:5000/a/b");
  for (const value of ["q.io/a:v1", `q.io/a@sha256:${"0".repeat(64)}`]) {
    assert.equal(imageName(value), value);
    assert.throws(() => imageRepository(value), InputProblem);
  }
});

Deno.test("every flag for an image refuses what is none, before anything is sent", async () => {
  const wrong: readonly (readonly [string, string])[] = [
    ["v1.13.8", "it is a version"],
    ["https://ghcr.io/a/installer", "it has a scheme; remove it"],
    ["GHCR.io/Siderolabs/installer", "its path has upper-case letters"],
    ["ghcr.io/a/installer ", "it contains spaces"],
    ["", "write one such as registry.k8s.io/pause:3.10.1"],
  ];
  for (const [image, fault] of wrong) {
    for (
      const line of [
        ["upgrade", "-n", "a", "-i", image],
        ["upgrade", "plan", "-n", "a", "-i", image],
        ["upgrade-k8s", "-n", "a", "--kubelet-image", image],
        ["upgrade-k8s", "-n", "a", "--apiserver-image", image],
        ["image", "pull", "-n", "a", image],
        ["gen", "config", "a", "https://a:6443", "--install-image", image],
        ["cluster", "create", "docker", "--image", image],
        ["cluster", "create", "dev", "--install-image", image],
        ["health", "-n", "a", "--run-e2e", "--e2e-image", image],
        ["conformance", "kubernetes", "-n", "a", "--image", image],
      ]
    ) {
      const { err, status } = await run(line);
      assert.equal(status, 2, `${line}: ${err}`);
      assert.ok(err.startsWith(`error: Invalid value "${image}" for `), err);
      assert.ok(err.includes(`: not an image name: ${fault}`), err);
    }
  }
});
