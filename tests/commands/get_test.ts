import assert from "node:assert/strict";
import { RpcError } from "../../errors.ts";
import { run } from "../_run.ts";
import { lists, resource } from "./_resources.ts";

const eth0 = {
  id: "eth0",
  version: "3",
  spec: `type: ether
addresses:
    - 10.0.0.2/24
    - fd00::2/64
mtu: 1500
up: true
alias: null
`,
};

const lo = {
  id: "lo",
  spec: "type: loopback\naddresses: []\nflags: {b: 2, a: [1]}\n",
};

const version = () => ({ messages: [{ version: { tag: "v1.12.1" } }] });

const node = { list: lists(eth0, lo), version };

Deno.test("get shows the usual columns and those of the type", async () => {
  const { out, err, status } = await run("get links", { "10.0.0.2": node });
  assert.equal(
    out,
    `NODE       NAMESPACE   TYPE   ID     VERSION   LINK TYPE   ADDRESSES                BROKEN
10.0.0.2   network     Link   eth0   3         ether       10.0.0.2/24 fd00::2/64
10.0.0.2   network     Link   lo     1         loopback
`,
  );
  assert.deepEqual({ err, status }, { err: "", status: 0 });
});

Deno.test("get tells people that there is nothing, and programs nothing", async () => {
  const { out, err, status } = await run("get links", {
    a: { list: lists(), version },
  });
  assert.deepEqual({ out, err, status }, {
    out: "",
    err: "No resources of type Links.net.talos.dev\n",
    status: 0,
  });
});

Deno.test("get finds a type by alias and full name in any case", async () => {
  for (const word of ["LINK", "links.net.talos.DEV"]) {
    const { out } = await run(["g", word, "-o", "jsonpath={.metadata.id}"], {
      a: node,
    });
    assert.equal(out, "eth0\nlo\n");
  }
});

Deno.test("get rd lists the types with their aliases", async () => {
  const { out } = await run("get rd", { a: { list: lists(), version } });
  const lines = out.split("\n");
  assert.equal(
    lines[0],
    "NODE   NAMESPACE   TYPE                 ID                                  VERSION   ALIASES",
  );
  assert.equal(
    lines[1],
    "a      meta        ResourceDefinition   links.net.talos.dev                 1         link",
  );
  assert.equal(lines.length, 7);
});

Deno.test("get -o json writes one document with sorted keys and an indent of 4", async () => {
  const labelled = {
    ...eth0,
    metadata: { labels: { b: "2", a: "1" }, finalizers: ["f"] },
  };
  const { out } = await run("get links -o json", {
    a: { list: lists(labelled), version },
  });
  assert.equal(
    out,
    `{
    "metadata": {
        "created": "2026-01-02T03:04:05Z",
        "finalizers": [
            "f"
        ],
        "id": "eth0",
        "labels": {
            "a": 1,
            "b": 2
        },
        "namespace": "network",
        "owner": "network.LinkController",
        "phase": "running",
        "type": "Links.net.talos.dev",
        "updated": "2026-01-02T03:05:05Z",
        "version": 3
    },
    "node": "a",
    "spec": {
        "addresses": [
            "10.0.0.2/24",
            "fd00::2/64"
        ],
        "alias": null,
        "mtu": 1500,
        "type": "ether",
        "up": true
    }
}
`,
  );
});

Deno.test("get gives metadata the types that talosctl gives it, and keeps numbers exact", async () => {
  const odd = {
    id: "11",
    version: "undefined",
    spec: 'a: 18446744073709551615\nb: "1"\nc: ""\n',
    metadata: { annotations: { empty: "", one: "1", text: "a" } },
  };
  const node = { list: lists(odd), version };
  const { out } = await run("get links -o jsonl", { a: node });
  const { metadata, spec } = JSON.parse(out);
  assert.equal(metadata.id, 11);
  assert.equal(metadata.version, "undefined");
  assert.deepEqual(metadata.annotations, { empty: null, one: 1, text: "a" });
  assert.deepEqual(spec, { a: "18446744073709551615", b: "1", c: "" });
  const yaml = await run("get links -o yaml", { a: node });
  assert.match(yaml.out, /^ {4}id: 11$/m);
  assert.match(yaml.out, /^ {8}one: 1$/m);
  const names = await run("get links -o name", {
    a: { list: lists({ ...odd, id: "007" }), version },
  });
  assert.equal(names.out, "007\n");
});

Deno.test("get -o yaml writes documents in the order of the node", async () => {
  const { out } = await run("get links -o yaml", { a: node });
  assert.equal(
    out,
    `node: a
metadata:
    namespace: network
    type: Links.net.talos.dev
    id: eth0
    version: 3
    owner: network.LinkController
    phase: running
    created: "2026-01-02T03:04:05Z"
    updated: "2026-01-02T03:05:05Z"
spec:
    type: ether
    addresses:
        - 10.0.0.2/24
        - fd00::2/64
    mtu: 1500
    up: true
    alias: null
---
node: a
metadata:
    namespace: network
    type: Links.net.talos.dev
    id: lo
    version: 1
    owner: network.LinkController
    phase: running
    created: "2026-01-02T03:04:05Z"
    updated: "2026-01-02T03:05:05Z"
spec:
    type: loopback
    addresses: []
    flags:
        b: 2
        a:
            - 1
`,
  );
});

Deno.test("get -o jsonpath strips control sequences on a terminal only", async () => {
  const list = lists({ id: "x", spec: 'name: "a\\e[31mb"\n' });
  const line = ["get", "links", "-o", "jsonpath={.spec.name}"];
  const piped = await run(line, { a: { list, version } });
  assert.equal(piped.out, "a\x1b[31mb\n");
  const shown = await run(line, { a: { list, version } }, { columns: 80 });
  assert.equal(shown.out, "ab\n");
});

Deno.test("get -o jsonpath fails when a resource lacks what is requested", async () => {
  const { out, err, status } = await run(
    ["get", "links", "-o", "jsonpath={.spec.mtu}"],
    { a: node },
  );
  assert.equal(out, "1500\n");
  assert.equal(
    err,
    'error: Cannot evaluate jsonpath "{.spec.mtu}": mtu is not found\n',
  );
  assert.equal(status, 1);
});

Deno.test("get -o jsonpath tells a failed node on standard error only", async () => {
  const { out, err, status } = await run(
    ["get", "links", "-o", "jsonpath={.metadata.id}"],
    { a: node, b: failing() },
  );
  assert.equal(out, "eth0\nlo\n");
  assert.equal(err, "error: b: gone\n");
  assert.equal(status, 3);
});

Deno.test("get refuses a template it cannot read before anything is sent", async () => {
  const { out, err, status } = await run(
    ["get", "links", "-o", "jsonpath={.spec"],
    {},
  );
  assert.equal(out, "");
  assert.match(
    err,
    /^error: Invalid value "\{\.spec" for jsonpath: expected "}" at character 7\n/,
  );
  assert.equal(status, 2);
});

Deno.test("get of one id asks for it alone", async () => {
  const asked: unknown[] = [];
  const { out } = await run("get link eth0 -o jsonpath=.spec.mtu", {
    a: {
      list: lists(),
      version,
      get(request) {
        asked.push(request);
        return { resource: resource(eth0) };
      },
    },
  });
  assert.equal(out, "1500\n");
  assert.deepEqual(asked, [{
    namespace: "network",
    type: "Links.net.talos.dev",
    id: "eth0",
    options: {},
  }]);
});

Deno.test("get looks in the namespace that is given", async () => {
  const { out } = await run(
    "get links --namespace other -o jsonpath=.metadata.id",
    {
      a: {
        list: lists(eth0, { ...lo, namespace: "other" }),
        version,
      },
    },
  );
  assert.equal(out, "lo\n");
});

Deno.test("get shows a machine configuration as text, from new and old nodes", async () => {
  const kind = {
    type: "MachineConfigs.config.talos.dev",
    namespace: "config",
    id: "v1alpha1",
  };
  const newer = {
    ...kind,
    spec: "|\n    version: v1alpha1\n    debug: false\n",
    metadata: { annotations: { "talos.dev/yaml-spec": "1" } },
  };
  const older = { ...kind, spec: "version: v1alpha1\ndebug: false\n" };
  const { out } = await run("get mc -o jsonpath=.spec", {
    a: { list: lists(newer), version },
    b: { list: lists(older), version },
  });
  const config = "version: v1alpha1\ndebug: false\n\n";
  assert.equal(out, config + config);
});

Deno.test("get names an unknown type and the nearest known one", async () => {
  const { out, err, status } = await run("get linkz", { a: node });
  assert.equal(out, "");
  assert.match(
    err,
    /^error: Unknown resource type "linkz"\nhint: Did you mean "link"\?\n/,
  );
  assert.equal(status, 2);
});

Deno.test("get points to the list of types when no name is near", async () => {
  const { err } = await run("get quarks", { a: node });
  assert.match(err, /hint: Run "osctl get rd" for the list of types\n/);
});

Deno.test("get names all types an ambiguous alias may mean", async () => {
  const { err, status } = await run("get l", { a: node });
  assert.match(
    err,
    /^error: Resource type "l" is ambiguous: links\.net\.talos\.dev, labels\.k8s\.talos\.dev\nhint: Use the full name of one of them\n/,
  );
  assert.equal(status, 2);
});

function failing() {
  const gone = () => {
    throw new RpcError("UNAVAILABLE", "gone");
  };
  return { list: gone, version: gone };
}

Deno.test("get counts a spec it cannot read as a failure of its node", async () => {
  const bad = { id: "bad", spec: "a: &x 1\nb: *x\n" };
  const { out, err, status } = await run("get links -o jsonpath=.metadata.id", {
    a: { list: lists(bad), version },
    b: node,
  });
  assert.equal(out, "eth0\nlo\n");
  assert.equal(err, "error: a: Cannot read a spec: it is not plain YAML\n");
  assert.equal(status, 3);
});

Deno.test("get warns of a node that is too old", async () => {
  const { err, status } = await run("get links", {
    a: {
      list: lists(eth0),
      version: () => ({ messages: [{ version: { tag: "v1.7.5" } }] }),
    },
    b: node,
  });
  assert.equal(
    err,
    "warning: a: server version v1.7.5 is older than v1.8.0, so some of its answers may not be understood\n",
  );
  assert.equal(status, 0);
});

Deno.test("get --insecure asks the maintenance service", async () => {
  let insecure = false;
  await run("get links -i", { a: node }, {
    onOpen: (request) => insecure = request.insecure,
  });
  assert.equal(insecure, true);
});
