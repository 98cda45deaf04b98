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

async function merged(
  target: Kubeconfig,
  incoming: Kubeconfig,
  options: Partial<KubeconfigMergeOptions> = {},
) {
  return await mergeKubeconfig(target, incoming, { ...usual, ...options });
}

/** One line for each change. */
function reported({ changes }: Awaited<ReturnType<typeof merged>>) {
  return changes.map(({ kind, action, name, from }) =>
    `${action} ${kind} ${from === undefined ? name : `${from} -> ${name}`}`
  );
}

Deno.test("mergeKubeconfig: adds new entries and makes their context current", async () => {
  const result = await merged(emptyKubeconfig, kubeconfig());
  assert.deepEqual(reported(result), [
    "added cluster c",
    "added user admin@c",
    "added context admin@c",
  ]);
  assert.deepEqual(result.config, kubeconfig());
  assert.equal(result.context, "admin@c");
});

Deno.test("mergeKubeconfig: existing entries change nothing", async () => {
  const result = await merged(kubeconfig(), kubeconfig());
  assert.deepEqual(reported(result), []);
  assert.deepEqual(result.config, kubeconfig());
});

Deno.test("mergeKubeconfig: updates entries of the same cluster in place, with the user's settings kept", async () => {
  const mine = parseKubeconfig(
    nodeKubeconfig().replace("namespace: default", "namespace: mine")
      .replace("    server:", "    proxy-url: http://proxy\n    server:"),
    "mine",
  );
  const renewed = { crt: "crt-2", server: "https://10.0.0.9:6443" };
  const result = await merged(mine, kubeconfig(renewed));
  assert.deepEqual(reported(result), [
    "updated cluster c",
    "updated user admin@c",
  ]);
  const { cluster, context } = result.config;
  const field = (key: string) => readText(cluster.get("c")?.get(key));
  assert.equal(field("server"), "https://10.0.0.9:6443");
  assert.equal(field("proxy-url"), "http://proxy");
  assert.equal(readText(context.get("admin@c")?.get("namespace")), "mine");
});

Deno.test("credentials of another kind go when new ones come", async () => {
  const mine = parseKubeconfig(
    nodeKubeconfig().replace(
      / {4}client-certificate-data:.*\n/,
      "    token: t\n",
    ),
    "mine",
  );
  const { config } = await merged(mine, kubeconfig());
  assert.deepEqual([...config.user.get("admin@c")?.keys() ?? []].toSorted(), [
    "client-certificate-data",
    "client-key-data",
  ]);
});

Deno.test("mergeKubeconfig: renames entries whose name another cluster has, with user and context", async () => {
  const result = await merged(
    kubeconfig(),
    kubeconfig({ ca: "ca-2", crt: "crt-2" }),
  );
  assert.deepEqual(reported(result), [
    "renamed cluster c -> c-1",
    "added user admin@c-1",
    "added context admin@c-1",
  ]);
  const { config } = result;
  const context = config.context.get("admin@c-1");
  assert.equal(readText(context?.get("cluster")), "c-1");
  assert.equal(readText(context?.get("user")), "admin@c-1");
  assert.equal(config.current, "admin@c-1");
  assert.deepEqual(config.cluster.get("c"), kubeconfig().cluster.get("c"));
});

Deno.test("mergeKubeconfig: finds entries that an earlier merge renamed", async () => {
  const other = { ca: "ca-2", crt: "crt-2" };
  const { config } = await merged(kubeconfig(), kubeconfig(other));
  assert.deepEqual(reported(await merged(config, kubeconfig(other))), []);
  const renewed = await merged(config, kubeconfig({ ...other, crt: "crt-3" }));
  assert.deepEqual(reported(renewed), ["updated user admin@c-1"]);
  const third = await merged(config, kubeconfig({ ca: "ca-3" }));
  assert.deepEqual(reported(third)[0], "renamed cluster c -> c-2");
});

Deno.test("a policy overwrites, or is requested each name that is taken", async () => {
  const incoming = kubeconfig({ ca: "ca-2", crt: "crt-2" });
  const forced = await merged(kubeconfig(), incoming, {
    onConflict: "overwrite",
  });
  assert.deepEqual(reported(forced), [
    "overwritten cluster c",
    "updated user admin@c",
  ]);
  assert.deepEqual(forced.config, incoming);
  const asked: string[] = [];
  await merged(kubeconfig(), incoming, {
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
  const result = await merged(mine, kubeconfig({ crt: "crt-2" }));
  assert.deepEqual(
    reported(result),
    [
      "added cluster c",
      "renamed user admin@c -> admin@c-1",
      "added context admin@c-1",
    ],
  );
  assert.deepEqual(result.config.user.get("admin@c"), mine.user.get("admin@c"));
});

Deno.test("a name for the context takes the place of its own", async () => {
  const { config, context } = await merged(emptyKubeconfig, kubeconfig(), {
    contextName: "prod",
  });
  assert.deepEqual([...config.context.keys()], ["prod"]);
  assert.deepEqual([config.current, context], ["prod", "prod"]);
});

Deno.test("the current context stays when it is to, unless there is none", async () => {
  const options = { setCurrent: false };
  const mine = kubeconfig({ cluster: "mine" });
  assert.equal(
    (await merged(mine, kubeconfig(), options)).config.current,
    "admin@mine",
  );
  assert.equal(
    (await merged(emptyKubeconfig, kubeconfig(), options)).config.current,
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
    reported(await merged(bare("https://a"), bare("https://a"))),
    [],
  );
  const other = await merged(bare("https://a"), bare("https://b"));
  assert.equal(reported(other)[0], "renamed cluster c -> c-1");
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
          config = (await merged(config, kubeconfig(one))).config;
          cas.add(one.ca);
        }
        const kept = new Set(
          [...config.cluster.values()].map((fields) =>
            atob(readText(fields.get("certificate-authority-data")))
          ),
        );
        assert.deepEqual(kept, cas);
        const again = await merged(config, kubeconfig(all.at(-1) ?? {}));
        assert.deepEqual(reported(again), []);
        assert.deepEqual(again.config, config);
      },
    ),
  );
});
