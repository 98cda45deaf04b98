import assert from "node:assert/strict";
import { client, type ClientChange, inDays, now } from "../../pki/_identity.ts";
import { base64, testWith, toOutput } from "./_file.ts";

/** A client configuration whose context `c` has a certificate. */
async function issue(change: ClientChange = {}): Promise<string> {
  const { ca, crt, key } = await client(change);
  return `context: c
contexts:
    c:
        endpoints: [10.0.0.1, 10.0.0.2]
        nodes: [10.0.0.5, 10.0.0.6]
        ca: ${base64(ca)}
        crt: ${base64(crt)}
        key: ${base64(key)}
    bare:
        endpoints: []
`;
}

testWith(
  undefined,
  "config info shows the context and its certificate",
  async ({ osctl, path }) => {
    await Deno.writeTextFile(path, await issue());
    assert.deepEqual(toOutput(await osctl("config info", { now })), {
      out: `Current context:     c
Nodes:               10.0.0.5, 10.0.0.6
Endpoints:           10.0.0.1, 10.0.0.2
Roles:               os:admin
Certificate expires: 10 months from now (2031-03-28)
`,
      err: "",
      status: 0,
    });
  },
);

testWith(
  undefined,
  "config info wraps long lists between their nodes",
  async ({ osctl, path }) => {
    const nodes = ["[10.0.0.5, 10.0.0.6]", "[10.0.0.5, 10.0.0.6, 10.0.0.7]"];
    const file = (await issue()).replace(nodes[0] ?? "", nodes[1] ?? "");
    await Deno.writeTextFile(path, file);
    const { out } = await osctl("config info", { now, columns: 45 });
    assert.match(
      out,
      /^Nodes: {15}10\.0\.0\.5, 10\.0\.0\.6,\n {21}10\.0\.0\.7$/m,
    );
  },
);

testWith(
  undefined,
  "config info -o yaml and -o text are understood",
  async ({ osctl, path }) => {
    await Deno.writeTextFile(path, await issue());
    const yaml = await osctl("config info --context bare -o yaml", { now });
    assert.equal(
      yaml.out,
      `context: bare
nodes: []
endpoints: []
roles: []
certTTL: ""
certNotAfter: ""
`,
    );
    const text = await osctl("config info --context bare -o text", { now });
    assert.deepEqual(toOutput(text), {
      out: `Current context:     bare
Nodes:               not defined
Endpoints:           not defined
`,
      err: "",
      status: 0,
    });
  },
);

testWith(
  undefined,
  "config info warns of a certificate that ends soon, unless told not to",
  async ({ osctl, path }) => {
    await Deno.writeTextFile(path, await issue({ notAfter: inDays(20) }));
    const { err, status } = await osctl("config info", { now });
    assert.equal(
      err,
      `warning: Context "c": Client certificate expires on 2030-06-21T12:00:00Z, in 20 days; renew it with: osctl config renew
hint: A node renews it only until it expires
`,
    );
    assert.equal(status, 0);
    const quiet = await osctl("config info --no-expiry-warning", { now });
    assert.equal(quiet.err, "");
  },
);

testWith(
  undefined,
  "config info says what makes a certificate useless",
  async ({ osctl, path }) => {
    await Deno.writeTextFile(
      path,
      await issue({ notBefore: inDays(-9), notAfter: inDays(-3) }),
    );
    const line = "config info --no-expiry-warning";
    const expired = await osctl(line, { now });
    assert.match(
      expired.out,
      /^Certificate expires: 3 days ago \(2030-05-29\)$/m,
    );
    assert.match(
      expired.err,
      /^warning: Context "c": Client certificate expired on 2030-05-29T12:00:00Z\nhint: Renew it .* osctl config renew\n$/,
    );
    assert.equal(expired.status, 0);

    await Deno.writeTextFile(path, await issue({ notBefore: inDays(1) }));
    assert.match(
      (await osctl(line, { now })).err,
      /^warning: Context "c": Client certificate is valid only from 2030-06-02T12:00:00Z\n/,
    );
    await Deno.writeTextFile(
      path,
      await issue({ extendedKeyUsage: ["serverAuth"] }),
    );
    assert.match(
      (await osctl(line, { now })).err,
      /^warning: Context "c": Client certificate is not valid for client authentication: /,
    );
    const text = await issue();
    const { key } = await client();
    await Deno.writeTextFile(
      path,
      text.replace(/key: .*/, `key: ${base64(key)}`),
    );
    assert.match(
      (await osctl(line, { now })).err,
      /^warning: Context "c": Client key does not match the client certificate\n/,
    );
  },
);

testWith(
  `context: c\ncontexts:\n    c:\n        endpoints: []\n        crt: ${
    base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
  }\n`,
  "config info shows what it can of a broken context",
  async ({ osctl }) => {
    const { out, err, status } = await osctl("config info");
    assert.equal(
      out,
      "Current context:     c\nNodes:               not defined\nEndpoints:           not defined\n",
    );
    assert.match(err, /^warning: Context "c": Context has no client key\n/);
    assert.equal(status, 0);
  },
);
