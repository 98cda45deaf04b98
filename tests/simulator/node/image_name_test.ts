import assert from "node:assert/strict";
import { imageName, imageText } from "../../../simulator/node/image_name.ts";

const digest = `sha256:${"0".repeat(64)}`;

Deno.test("names of images are read in full", () => {
  const full = (text: string) => {
    const name = imageName(text);
    return name && imageText(name);
  };
  assert.deepEqual(
    [
      "nginx",
      "user/tool:1.2",
      "localhost/tool",
      "HOST/tool",
      "host:5000/a/b-c:v1",
      `quay.io/a/b:v1@${digest}`,
    ].map(full),
    [
      "docker.io/library/nginx:latest",
      "docker.io/user/tool:1.2",
      "localhost/tool:latest",
      "HOST/tool:latest",
      "host:5000/a/b-c:v1",
      `quay.io/a/b@${digest}`,
    ],
  );
});

Deno.test("what is no name of an image is none", () => {
  for (const text of ["", "UPPER", "a b", "x@sha256:12", "a//b", ":v1"]) {
    assert.equal(imageName(text), undefined, text);
  }
});
