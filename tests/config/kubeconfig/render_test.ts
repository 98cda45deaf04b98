import assert from "node:assert/strict";
import { parseKubeconfig } from "../../../config/kubeconfig/content.ts";
import { mergeKubeconfig } from "../../../config/kubeconfig/merge.ts";
import { renderKubeconfig } from "../../../config/kubeconfig/render.ts";
import { nodeKubeconfig } from "./_kubeconfig.ts";

/** Merges what a node gives into a text. */
async function mergeText(source: string, incoming = nodeKubeconfig()) {
  const { config } = await mergeKubeconfig(
    parseKubeconfig(source, "mine"),
    parseKubeconfig(incoming, "node"),
    { onConflict: "rename", setCurrent: true },
  );
  return renderKubeconfig(source, "mine", config);
}

Deno.test("renderKubeconfig gives back the text when nothing changed", async () => {
  const spaced = nodeKubeconfig().replace(
    "clusters:\n",
    "clusters:   # mine\n",
  );
  assert.equal(await mergeText(spaced), spaced);
});

Deno.test("renderKubeconfig changes values where they are", async () => {
  const source = nodeKubeconfig().replace("Y3J0LTE=", "Y3J0LTE= # of me");
  assert.equal(
    await mergeText(source, nodeKubeconfig({ crt: "crt-2" })),
    source.replace("Y3J0LTE=", "Y3J0LTI=")
      .replace("a2V5IG9mIGNydC0x", "a2V5IG9mIGNydC0y"),
  );
});

Deno.test("renderKubeconfig makes a whole file of a blank one, and of lists that are null", async () => {
  const whole = `apiVersion: v1
kind: Config
clusters:
- cluster:
    server: https://10.0.0.2:6443
    certificate-authority-data: Y2EtMQ==
  name: c
users:
- name: admin@c
  user:
    client-certificate-data: Y3J0LTE=
    client-key-data: a2V5IG9mIGNydC0x
contexts:
- context:
    cluster: c
    namespace: default
    user: admin@c
  name: admin@c
current-context: admin@c
`;
  for (const source of ["", "\n", "clusters: null\nusers: []\n"]) {
    assert.equal(await mergeText(source), whole, JSON.stringify(source));
  }
});

Deno.test("renderKubeconfig keeps the indent of lists", async () => {
  const indented = `clusters:
  - cluster:
      server: s
    name: a
`;
  const text = await mergeText(indented);
  assert.ok(
    text.includes(`${indented}  - cluster:\n      server: https`),
    text,
  );
  const wide = "clusters:\n    - name: a\n";
  assert.ok((await mergeText(wide)).includes(`${wide}`));
});

Deno.test("renderKubeconfig takes a name out that is there no more", () => {
  const source = nodeKubeconfig();
  const config = parseKubeconfig(source, "f");
  const text = renderKubeconfig(source, "f", {
    ...config,
    context: new Map([["prod", config.context.get("admin@c") ?? new Map()]]),
    current: "prod",
  });
  assert.deepEqual([...parseKubeconfig(text, "f").context.keys()], ["prod"]);
  assert.match(text, /^current-context: prod$/m);
});

Deno.test("renderKubeconfig quotes names that would be something else", async () => {
  const text = await mergeText("", nodeKubeconfig({ cluster: '"1e3"' }));
  assert.match(text, /name: "1e3"/);
});
