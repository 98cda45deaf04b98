import assert from "node:assert/strict";
import fc from "fast-check";
import {
  emptyKubeconfig,
  type Kubeconfig,
  parseKubeconfig,
  readText,
} from "../../../config/kubeconfig/content.ts";
import {
  type KubeconfigMergeOptions,
  mergeKubeconfig,
} from "../../../config/kubeconfig/merge.ts";
import { type Given, nodeKubeconfig } from "./_kubeconfig.ts";

function kubeconfig(given: Given = {}): Kubeconfig {
  return parseKubeconfig(nodeKubeconfig(given), "node");
}

const usual: KubeconfigMergeOptions = {
  onConflict: "rename",
  setCurrent: true,
};

async function mergeAll(
  target: Kubeconfig,
  incoming: Kubeconfig,
  options: Partial<KubeconfigMergeOptions> = {},
) {
  return await mergeKubeconfig(target, incoming, { ...usual, ...options });
}

/** One line for each change. */
function formatChanges({ changes }: Awaited<ReturnType<typeof mergeAll>>) {
  return changes.map(({ kind, action, name, from }) =>
    `${action} ${kind} ${from === undefined ? name : `${from} -> ${name}`}`
  );
}

Deno.test("mergeKubeconfig: updates entries of the same cluster in place, with the user's settings kept", async () => {
  const mine = parseKubeconfig(
    nodeKubeconfig().replace("namespace: default", "namespace: mine")
      .replace("    server:", "    proxy-url: http://proxy\n    server:"),
    "mine",
  );
  const renewed = { crt: "crt-2", server: "https://10.0.0.9:6443" };
  const result = await mergeAll(mine, kubeconfig(renewed));
  assert.deepEqual(formatChanges(result), [
    "updated cluster c",
    "updated user admin@c",
  ]);
  const { cluster, context } = result.config;
  const field = (key: string) => readText(cluster.get("c")?.get(key));
  assert.equal(field("server"), "https://10.0.0.9:6443");
  assert.equal(field("proxy-url"), "http://proxy");
  assert.equal(readText(context.get("admin@c")?.get("namespace")), "mine");
});

Deno.test("a policy overwrites, or is requested each name that is taken", async () => {
  const incoming = kubeconfig({ ca: "ca-2", crt: "crt-2" });
  const forced = await mergeAll(kubeconfig(), incoming, {
    onConflict: "overwrite",
  });
  assert.deepEqual(formatChanges(forced), [
    "overwritten cluster c",
    "updated user admin@c",
  ]);
  assert.deepEqual(forced.config, incoming);
  const asked: string[] = [];
  await mergeAll(kubeconfig(), incoming, {
    onConflict({ kind, name }) {
      asked.push(`${kind} ${name}`);
      return "rename";
    },
  });
  assert.deepEqual(asked, ["cluster c"]);
});

Deno.test("users and contexts that lead elsewhere are not touched", async () => {
  const mine = parseKubeconfig(
    nodeKubeconfig().replaceAll("cluster: c\n", "cluster: d\n")
      .replace("- name: c\n", "- name: d\n"),
    "mine",
  );
  const result = await mergeAll(mine, kubeconfig({ crt: "crt-2" }));
  assert.deepEqual(
    formatChanges(result),
    [
      "added cluster c",
      "renamed user admin@c -> admin@c-1",
      "added context admin@c-1",
    ],
  );
  assert.deepEqual(result.config.user.get("admin@c"), mine.user.get("admin@c"));
});

Deno.test("the current context stays when it is to, unless there is none", async () => {
  const options = { setCurrent: false };
  const mine = kubeconfig({ cluster: "mine" });
  assert.equal(
    (await mergeAll(mine, kubeconfig(), options)).config.current,
    "admin@mine",
  );
  assert.equal(
    (await mergeAll(emptyKubeconfig, kubeconfig(), options)).config.current,
    "admin@c",
  );
});

Deno.test("clusters without a CA are the same by their address", async () => {
  const bare = (server: string) =>
    parseKubeconfig(
      nodeKubeconfig({ server }).replace(
        / +certificate-authority-data:.*\n/,
        "",
      ),
      "f",
    );
  assert.deepEqual(
    formatChanges(await mergeAll(bare("https://a"), bare("https://a"))),
    [],
  );
  const other = await mergeAll(bare("https://a"), bare("https://b"));
  assert.equal(formatChanges(other)[0], "renamed cluster c -> c-1");
});

Deno.test("any sequence of merges loses nothing of other clusters, and the last one again changes nothing", async () => {
  const given = fc.record({
    cluster: fc.constantFrom("c", "d", "c-1"),
    ca: fc.constantFrom("ca-1", "ca-2", "ca-3"),
    crt: fc.constantFrom("crt-1", "crt-2"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(given, { minLength: 1, maxLength: 6 }),
      async (all) => {
        let config = emptyKubeconfig;
        const cas = new Set<string>();
        for (const one of all) {
          config = (await mergeAll(config, kubeconfig(one))).config;
          cas.add(one.ca);
        }
        const kept = new Set(
          [...config.cluster.values()].map((fields) =>
            atob(readText(fields.get("certificate-authority-data")))
          ),
        );
        assert.deepEqual(kept, cas);
        const again = await mergeAll(config, kubeconfig(all.at(-1) ?? {}));
        assert.deepEqual(formatChanges(again), []);
        assert.deepEqual(again.config, config);
      },
    ),
  );
});
