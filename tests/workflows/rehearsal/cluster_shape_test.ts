import assert from "node:assert/strict";
import {
  clusterSpecText,
  parseClusterSpec,
} from "../../../workflows/rehearsal/cluster_shape.ts";

Deno.test("a simulated cluster is one word: size, version and boot loader", () => {
  assert.deepEqual(parseClusterSpec("sim:3cp+5w,v1.13.4"), {
    controlPlanes: 3,
    workers: 5,
    version: "v1.13.4",
    grub: false,
  });
  assert.deepEqual(parseClusterSpec("1cp,1.12.1,grub"), {
    controlPlanes: 1,
    workers: 0,
    version: "v1.12.1",
    grub: true,
  });
  const words = ["sim:3cp+5w,v1.13.4", "sim:1cp,v1.12.1,grub"];
  assert.deepEqual(words.map(parseClusterSpec).map(clusterSpecText), words);
});

Deno.test("parseShape: names an invalid size or version", () => {
  const wrong = {
    "sim:0cp": '"0cp" is not a size',
    "5w": '"5w" is not a size',
    "3cp+501w": '"3cp+501w" is not a size',
    "3cp,latest": '"latest" is not a version',
  };
  for (const [text, reason] of Object.entries(wrong)) {
    assert.throws(() => parseClusterSpec(text), {
      name: "ConfigError",
      message: `Cannot simulate cluster "${text}": ${reason}`,
    });
  }
});
