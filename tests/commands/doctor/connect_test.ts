import assert from "node:assert/strict";
import type { ClientCredentials } from "../../../simulator/state/identities.ts";
import { withCluster } from "../../_cluster.ts";
import { run } from "../../_run.ts";

/** Runs the command with a client configuration of its own. */
async function doctor(
  line: string,
  { endpoints, nodes = [], ...identity }:
    & Partial<ClientCredentials>
    & { readonly endpoints: readonly string[]; readonly nodes?: string[] },
) {
  const home = await Deno.makeTempDir();
  const fields = Object.entries(identity).map(([name, pem]) =>
    `    ${name}: ${btoa(pem)}\n`
  );
  await Deno.mkdir(`${home}/.os`);
  await Deno.writeTextFile(
    `${home}/.os/config`,
    `context: a\ncontexts:\n  a:\n    endpoints: ${JSON.stringify(endpoints)}
    nodes: ${JSON.stringify(nodes)}\n${fields.join("")}`,
  );
  try {
    const options = { now: new Date(), env: { HOME: home } };
    return await run(`doctor connect ${line}`, {}, options);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** Port numbers, milliseconds and dates differ from run to run, and widths of columns with the pace of rows. */
function plain(text: string): string {
  return text.replace(/127\.0\.0\.1:\d+/g, "NODE:PORT")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "DATE")
    .replace(/ in \d+ ms/g, " in N ms")
    .replace(/is \d+\.\d s (behind|ahead of)/, "is N s off")
    .replace(/ +$/gm, "").replace(/ {2,}/g, "  ");
}

Deno.test("doctor connect shows every stage of an endpoint that is well", async () => {
  await withCluster({ controlplanes: 1, workers: 1 }, async (cluster) => {
    const { adminIdentity, endpoints } = cluster;
    const { out, err, status } = await doctor("", {
      ...adminIdentity,
      endpoints,
      nodes: cluster.nodes.map(({ identity }) => identity.address),
    });
    assert.equal(
      plain(out),
      `ENDPOINT  STAGE  RESULT  DETAIL
-  client  ok  valid until DATE
-  role  ok  os:admin
NODE:PORT  proxy  ok  none: HTTPS_PROXY is not set
NODE:PORT  dns  skipped  is an IP address
NODE:PORT  tcp  ok  connected in N ms
NODE:PORT  tls  ok  TLSv1.3
NODE:PORT  mode  ok  the node has a configuration
NODE:PORT  ca  ok  signed by the context's CA O=talos
NODE:PORT  validity  ok  valid until DATE
NODE:PORT  usage  ok  is for servers
NODE:PORT  name  ok  is for "127.0.0.1"
NODE:PORT  login  ok  accepted
NODE:PORT  api  ok  v1.12.11 answers in N ms
NODE:PORT  clock  ok  the node's clock is N s off this machine's
NODE:PORT  nodes  ok  2 of 2 nodes answer
`,
    );
    assert.equal(err, "");
    assert.equal(status, 0);
  });
});

Deno.test("doctor connect ends with one cause and one next step", async () => {
  await withCluster({}, async (cluster) => {
    const { adminIdentity, endpoints, identify } = cluster;
    const past = {
      notBefore: new Date("2020-01-01T00:00:00Z"),
      notAfter: new Date("2021-01-01T00:00:00Z"),
    };
    const expired = await doctor("", {
      ...await identify(["os:admin"], past),
      endpoints,
    });
    assert.equal(
      expired.err,
      "error: Client certificate expired on 2021-01-01T00:00:00Z\n" +
        "hint: Renew it from a secrets bundle or a control plane configuration with: osctl config renew\n",
    );
    assert.equal(expired.status, 1);
    const [endpoint = ""] = endpoints;
    const half = await doctor(`-e 127.0.0.1:1,${endpoint}`, {
      ...adminIdentity,
      endpoints: [],
    });
    assert.equal(
      half.err,
      'error: 1 of 2 endpoints failed; endpoint "127.0.0.1:1" failed at stage tcp: the connection was refused\n' +
        "hint: Check that the node is up and the address is right; the node API listens on port 50000\n",
    );
    assert.equal(half.status, 1);
  });
});

Deno.test("doctor connect tells a CA of another cluster", async () => {
  await withCluster({}, async ({ endpoints }) => {
    await withCluster({}, async ({ adminIdentity }) => {
      const { err, status } = await doctor("", { ...adminIdentity, endpoints });
      assert.match(
        plain(err),
        /failed at stage ca: signed by another CA with the same name/,
      );
      assert.match(err, /hint: Choose the context of this cluster/);
      assert.equal(status, 1);
    });
  });
});

Deno.test("doctor connect doubts a client certificate of another cluster", async () => {
  await withCluster({}, async ({ ca, endpoints }) => {
    await withCluster({}, async ({ adminIdentity }) => {
      const { err, status } = await doctor("", {
        ...adminIdentity,
        ca,
        endpoints,
      });
      assert.match(plain(err), /failed at stage login: /);
      assert.match(
        err,
        /hint: Use the CA and the client certificate of the same cluster/,
      );
      assert.equal(status, 1);
    });
  });
});

Deno.test("doctor connect --insecure tells that a node has a configuration", async () => {
  await withCluster({}, async ({ endpoints: [node = ""] }) => {
    const { err, status } = await doctor(`--insecure -n ${node}`, {
      endpoints: [],
    });
    assert.match(err, /hint: The node already has a configuration/);
    assert.equal(status, 1);
  });
});

Deno.test("doctor connect looks at endpoints without a client configuration", async () => {
  await withCluster({}, async ({ endpoints: [endpoint = ""] }) => {
    const { out, err, status } = await run(
      `doctor connect -e ${endpoint}`,
      {},
      { env: { HOME: "/nonexistent" }, now: new Date() },
    );
    assert.match(
      out,
      /^- +context +failed +Cannot find a client configuration/m,
    );
    assert.match(out, /name +ok +is for "127\.0\.0\.1"/);
    assert.match(err, /^error: Cannot find a client configuration/);
    assert.equal(status, 1);
  });
});

Deno.test("doctor connect needs endpoints", async () => {
  const { err, status } = await doctor("", { endpoints: [] });
  assert.equal(
    err,
    'error: Context "a" has no endpoints\n' +
      "hint: Set them to control plane nodes with: osctl config endpoint <address>\n",
  );
  assert.equal(status, 2);
  const waiting = await doctor("--insecure", { endpoints: [] });
  assert.match(waiting.err, /^error: No nodes are selected/);
  assert.equal(waiting.status, 2);
});

Deno.test("doctor connect --insecure finds nothing wrong with a node that waits for its configuration", async () => {
  await withCluster({}, async (cluster) => {
    const { endpoints: [node = ""] } = cluster;
    await cluster.setFault("10.5.0.2", "maintenance");
    const line = `--insecure -n ${node}`;
    const { out, err, status } = await doctor(line, { endpoints: [] });
    assert.equal(status, 0, err);
    assert.match(
      plain(out),
      /^\S+ +api +ok +the maintenance API answers in N ms$/m,
    );
    assert.doesNotMatch(out, /failed/);
  });
});
