import assert from "node:assert/strict";
import type { ClientContext } from "../../../config/osconfig/osconfig.ts";
import { parseOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { renderFresh } from "../../../config/osconfig/new_osconfig.ts";

function fresh(name: string, context: ClientContext): string | undefined {
  return renderFresh({ current: name, contexts: new Map([[name, context]]) });
}

Deno.test("one new context is written in the order of its fields", () => {
  const context = {
    key: "a2V5",
    crt: "Y3J0",
    ca: "Y2E=",
    cluster: "c1",
    nodes: ["10.0.0.4"],
    endpoints: ["10.0.0.2", "fd00::1"],
  };
  assert.equal(
    fresh("prod", context),
    `context: prod
contexts:
    prod:
        endpoints:
            - 10.0.0.2
            - fd00::1
        nodes:
            - 10.0.0.4
        ca: Y2E=
        crt: Y3J0
        key: a2V5
        cluster: c1
`,
  );
});

Deno.test("endpoints are always written, all else when there is something", () => {
  assert.equal(
    fresh("off", { endpoints: [], nodes: [], ca: "", crt: undefined }),
    `context: "off"
contexts:
    "off":
        endpoints: []
`,
  );
});

Deno.test("newOsconfig: ignores files that were read before or have further parts", async () => {
  const context = { endpoints: [], nodes: [] };
  const contexts = new Map([["a", context], ["b", context]]);
  assert.equal(renderFresh({ current: "a", contexts }), undefined);
  assert.equal(renderFresh({ current: "a", contexts: new Map() }), undefined);
  const read = await parseOsconfig(
    "contexts: {a: {auth: {basic: {username: u, password: p}}}}\n",
    "f",
  );
  assert.equal(renderFresh(read), undefined);
  const { source: _, ...copy } = read;
  assert.equal(renderFresh(copy), undefined);
});
