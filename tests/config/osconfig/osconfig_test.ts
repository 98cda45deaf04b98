import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ClientContext,
  type Osconfig,
} from "../../../config/osconfig/osconfig.ts";
import {
  parseOsconfig,
  renderOsconfig,
} from "../../../config/osconfig/osconfig_file.ts";
import { ConfigError } from "../../../errors.ts";

const written = `context: prod
contexts:
    lab:
        endpoints: []
    prod:
        endpoints:
            - 10.0.0.2
            - 10.0.0.3:50000
        nodes:
            - 10.0.0.4
        ca: Y2E=
        crt: Y3J0
        key: a2V5
        auth:
            basic:
                username: me
                password: secret
        cluster: c1
`;

Deno.test("a NUL byte is refused with its place", async () => {
  await assert.rejects(
    parseOsconfig("context: a\ncontexts:\n  \0", "f"),
    (error: unknown) => {
      assert.equal(error instanceof ConfigError, true);
      assert.equal(
        (error as ConfigError).message,
        'Cannot read "f" at line 3, column 3: it contains a NUL byte',
      );
      return true;
    },
  );
});

Deno.test("a fresh configuration is written as talosctl writes it", async () => {
  const { auth } = (await parseOsconfig(written, "f")).contexts.get("prod") ??
    fail();
  const prod: ClientContext = {
    cluster: "c1",
    auth,
    key: "a2V5",
    crt: "Y3J0",
    ca: "Y2E=",
    nodes: ["10.0.0.4"],
    endpoints: ["10.0.0.2", "10.0.0.3:50000"],
  };
  const lab: ClientContext = { endpoints: [], nodes: [] };
  const contexts = new Map([["prod", prod], ["lab", lab]]);
  assert.equal(await renderOsconfig({ current: "prod", contexts }), written);
});

Deno.test("a text in which nothing changed comes back as it was", async () => {
  const odd = "contexts: {b: {endpoints: [x]},\n  a: {target: y}} # odd\n";
  const config = await parseOsconfig(odd, "f");
  assert.equal(await renderOsconfig({ ...config }), odd);
});

Deno.test("a change keeps comments, order, unknown fields and their spelling", async () => {
  const before = await parseOsconfig(
    `# made by hand
version: 0x10
contexts:
    # the lab
    lab:
        mtu: 1.50
        endpoints:
        - 10.0.0.1 # left
        - 10.0.0.2 # right
        flag: yes

    prod:
        endpoints: []
context: lab # for now
`,
    "f",
  );
  const contexts = new Map(before.contexts);
  contexts.set("lab", {
    ...contexts.get("lab") ?? fail(),
    endpoints: ["10.0.0.3", "10.0.0.2"],
    nodes: ["10.0.0.9"],
  });
  assert.equal(
    await renderOsconfig({ ...before, current: "prod", contexts }),
    `# made by hand
version: 0x10
contexts:
    # the lab
    lab:
        mtu: 1.50
        endpoints:
            - 10.0.0.3
            - 10.0.0.2 # right
        nodes:
            - 10.0.0.9
        flag: yes

    prod:
        endpoints: []
context: prod # for now
`,
  );
});

Deno.test("fields taken away disappear, and a removed context takes its fields along", async () => {
  const before = await parseOsconfig(written, "f");
  const prod = before.contexts.get("prod") ?? fail();
  const after: Osconfig = {
    ...before,
    contexts: new Map([["prod", {
      ...prod,
      nodes: [],
      ca: undefined,
      crt: undefined,
      key: undefined,
      auth: undefined,
      cluster: undefined,
    }]]),
  };
  assert.equal(
    await renderOsconfig(after),
    `context: prod
contexts:
    prod:
        endpoints:
            - 10.0.0.2
            - 10.0.0.3:50000
`,
  );
});

Deno.test("osconfig: any written configuration reads back the same", async () => {
  const files = [
    undefined,
    "",
    written,
    "contexts: {a: {endpoints: [x], k: [1, {b: c}]}, d: &x {k: v}, e: *x}\n",
    "contexts:\n  prod:\n    <<: &d {nodes: [n], more: here}\n",
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.dictionary(
        fc.oneof(word(), fc.constantFrom("prod", "a", "e")),
        context(),
      ),
      word(),
      async (text, contexts, current) => {
        const source = text === undefined ? {} : await parseOsconfig(text, "f");
        const config: Osconfig = {
          ...source,
          current,
          contexts: new Map(Object.entries(contexts)),
        };
        const again = await parseOsconfig(await renderOsconfig(config), "f");
        assert.equal(again.current, current);
        assert.deepEqual(plain(again), plain(config));
        assert.equal(await renderOsconfig(again), again.source);
      },
    ),
    { numRuns: 500 },
  );
});

function context(): fc.Arbitrary<ClientContext> {
  const encoded = fc.constantFrom(undefined, "Y2E=", "LS0t");
  return fc.record({
    endpoints: fc.array(word(), { maxLength: 3 }),
    nodes: fc.array(word(), { maxLength: 3 }),
    ca: encoded,
    crt: encoded,
    key: encoded,
    cluster: fc.option(word().filter((text) => text !== ""), {
      nil: undefined,
    }),
  });
}

function word(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ maxLength: 8, unit: "binary" }).filter((text) =>
      !text.includes("\0")
    ),
    fc.constantFrom("yes", "null", "", "1.0", "a: b", "- a", "#", " x ", "é"),
    fc.constantFrom("a\nb", "\t", "[a]", "'", '"', "10.0.0.1:50000", "a\r\nb"),
  );
}

function plain({ contexts }: Osconfig): unknown {
  return Object.fromEntries(
    Array.from(contexts, ([name, { others: _, auth: __, ...known }]) => [
      name,
      JSON.parse(JSON.stringify(known)),
    ]).sort(([a], [b]) => String(a) < String(b) ? -1 : 1),
  );
}

function fail(): never {
  throw new Error("expected a context");
}
