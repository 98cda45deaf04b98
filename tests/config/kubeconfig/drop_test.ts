import assert from "node:assert/strict";
import {
  emptyKubeconfig,
  parseKubeconfig,
} from "../../../config/kubeconfig/content.ts";
import type { YamlTree } from "../../../config/yaml/yaml_tree.ts";
import { dropCluster } from "../../../config/kubeconfig/drop.ts";
import { mergeKubeconfig } from "../../../config/kubeconfig/merge.ts";
import { type Given, nodeKubeconfig } from "./_kubeconfig.ts";

const server = "https://127.0.0.1:40001";

/** One after the other, as clusters are created. */
async function mergeAll(...all: readonly Given[]) {
  let config = emptyKubeconfig;
  for (const given of all) {
    const incoming = parseKubeconfig(nodeKubeconfig(given), "incoming");
    const options = { onConflict: "rename", setCurrent: true } as const;
    ({ config } = await mergeKubeconfig(config, incoming, options));
  }
  return config;
}

function namesIn(config: typeof emptyKubeconfig) {
  const { cluster, user, context, current } = config;
  return [[...cluster.keys()], [...user.keys()], [...context.keys()], current];
}

/** A text in YAML. */
function text(value: string): YamlTree {
  return { kind: "text", value, plain: true, at: { line: 1, column: 1 } };
}

Deno.test("a cluster that got a number goes, and those that had the name before stay", async () => {
  const config = await mergeAll(
    { cluster: "k", ca: "older", server: "https://127.0.0.1:30001" },
    { cluster: "k", ca: "k", server },
    { cluster: "k-two", ca: "other", server },
  );
  const { config: left, contexts } = dropCluster(config, { name: "k", server });
  assert.deepEqual(contexts, ["admin@k-1"]);
  assert.deepEqual(namesIn(left), [
    ["k", "k-two"],
    ["admin@k", "admin@k-two"],
    ["admin@k", "admin@k-two"],
    "admin@k-two",
  ]);
});

Deno.test("dropCluster: also drops entries with the same CA under another name and address", async () => {
  const config = await mergeAll(
    { cluster: "k", ca: "k", server },
    { cluster: "mine", ca: "other" },
  );
  const own = config.cluster.get("k") ?? assert.fail();
  const cluster = new Map([
    ...config.cluster,
    [
      "renamed",
      new Map([
        ...own,
        ["server", text("https://10.5.0.2:6443")] as const,
      ]),
    ],
  ]);
  const { config: left } = dropCluster({ ...config, cluster }, {
    name: "k",
    server,
  });
  assert.deepEqual(namesIn(left), [["mine"], ["admin@mine"], [
    "admin@mine",
  ], "admin@mine"]);
});

Deno.test("a user that another context needs stays", async () => {
  const config = await mergeAll(
    { cluster: "prod", ca: "prod" },
    { cluster: "k", ca: "k", server },
  );
  const shared = new Map([
    ["cluster", text("prod")],
    ["user", text("admin@k")],
  ]);
  const context = new Map([...config.context, ["shared", shared]]);
  const { config: left } = dropCluster({ ...config, context }, {
    name: "k",
    server,
  });
  assert.deepEqual([...left.user.keys()], ["admin@prod", "admin@k"]);
});
