import assert from "node:assert/strict";
import {
  addContext,
  dropContexts,
  findCluster,
  findOsconfigPath,
  locateCluster,
} from "../../../commands/cluster/_cluster.ts";
import { processMasker } from "../../../lib/masker.ts";
import { readOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { withFolder } from "../../_folder.ts";

/** An environment. */
function environment(env: Readonly<Record<string, string>>) {
  return { env: (name: string) => env[name] };
}

/** A cluster's client configuration; the CA is the given word. */
function access(clusterCa: string) {
  return {
    endpoints: ["127.60.0.2"],
    nodes: ["127.60.0.2", "127.60.0.3"],
    ca:
      `-----BEGIN CERTIFICATE-----\n${clusterCa}\n-----END CERTIFICATE-----\n`,
    crt: "-----BEGIN CERTIFICATE-----\nCRT=\n-----END CERTIFICATE-----\n",
    key: "-----BEGIN ED25519 PRIVATE KEY-----\nKEYKEY=\n",
  };
}

/** Contexts of a file with their endpoints, and the current one. */
async function contextsIn(path: string) {
  const config = await readOsconfig(path);
  return [config?.current, ...config?.contexts.keys() ?? []];
}

Deno.test("locateCluster finds the state folder in the home, or where it is given", () => {
  const input = { name: "lab", state: undefined };
  assert.deepEqual(locateCluster(input, environment({ HOME: "/home/me" })), {
    name: "lab",
    state: "/home/me/.os/clusters",
  });
  assert.deepEqual(
    locateCluster(input, environment({ HOME: "/x", OS_HOME: "/os" })),
    { name: "lab", state: "/os/clusters" },
  );
  assert.deepEqual(
    locateCluster({ name: "lab", state: "/s" }, environment({})),
    { name: "lab", state: "/s" },
  );
  assert.throws(() => locateCluster(input, environment({})), {
    message: "Cannot find the state directory: HOME is not set",
    hint: "Choose one with --state",
    status: 2,
  });
});

Deno.test("findCluster chooses the named cluster, that of the context, or the only one, and names all if it cannot", async () => {
  await withFolder({ config: "context: twelve-1\n" }, async (folder) => {
    const find = (name?: string, context?: string) =>
      findCluster({
        input: { name, state: folder },
        globals: { osconfig: `${folder}/config`, context },
        environment: environment({}),
      }).then((found) => found.name);
    assert.equal(await find(), "os-default");
    assert.equal(await find("lab"), "lab");
    await Deno.mkdir(`${folder}/lab`);
    assert.equal(await find(), "lab");
    await assert.rejects(find("labs"), {
      message: `Cannot find cluster "labs" in "${folder}"`,
      hint: "Choose a cluster with --name: lab",
    });
    await Deno.mkdir(`${folder}/twelve`);
    assert.equal(await find(), "twelve");
    assert.equal(await find(undefined, "lab"), "lab");
    assert.equal(await find("lab"), "lab");
    await assert.rejects(find(undefined, "prod"), {
      message:
        `There are 2 clusters in "${folder}", and none of context "prod"`,
      hint: "Choose a cluster with --name: lab, twelve",
      status: 2,
    });
  });
});

Deno.test("locateCluster and findOsconfigPath know folders from everywhere", async () => {
  const here = Deno.cwd();
  assert.equal(
    locateCluster({ name: "lab", state: "clusters" }, environment({})).state,
    `${here}/clusters`,
  );
  assert.deepEqual(await findOsconfigPath("./config", environment({})), {
    path: `${here}/config`,
    writable: true,
  });
  assert.deepEqual(
    await findOsconfigPath(undefined, environment({ OSCONFIG: "mine" })),
    {
      path: `${here}/mine`,
      writable: true,
    },
  );
});

Deno.test("addContext makes the cluster's context current", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/new/config`;
    const location = { path, writable: true };
    assert.equal(await addContext(location, "lab", access("one")), "lab");
    const config = await readOsconfig(path);
    assert.equal(config?.current, "lab");
    const context = config?.contexts.get("lab");
    assert.deepEqual(context?.endpoints, ["127.60.0.2"]);
    assert.deepEqual(context?.nodes, ["127.60.0.2", "127.60.0.3"]);
    const pems = [context?.ca, context?.crt, context?.key].map((text) =>
      atob(text ?? "")
    );
    const { ca, crt, key } = access("one");
    assert.deepEqual(pems, [ca, crt, key]);
    // Whatever is reported from now on.
    assert.equal(processMasker.mask("KEYKEY="), "******");
  });
});

Deno.test("addContext takes another name where a cluster has it already", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/config`;
    const location = { path, writable: true };
    await addContext(location, "lab", access("one"));
    assert.equal(await addContext(location, "lab", access("two")), "lab-1");
    assert.deepEqual(await contextsIn(path), ["lab-1", "lab", "lab-1"]);
  });
});

/** A cluster by its CA alone. */
function listKnownBy(name: string) {
  return { name: "lab", ca: access(name).ca, endpoints: [] };
}

Deno.test("dropContexts takes out what trusts the cluster, under any name, and nothing else", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/config`;
    const location = { path, writable: true };
    await addContext(location, "prod", access("one"));
    await addContext(location, "lab", access("two"));
    await addContext(location, "mine", access("two"));
    assert.equal(await dropContexts(location, listKnownBy("two")), "prod");
    assert.deepEqual(await contextsIn(path), ["prod", "prod"]);
    await addContext(location, "lab", access("two"));
    await addContext(location, "prod", access("one"));
    assert.equal(await dropContexts(location, listKnownBy("two")), undefined);
    assert.deepEqual(await contextsIn(path), ["prod", "prod"]);
    assert.equal(await dropContexts(location, listKnownBy("one")), "");
  });
});

Deno.test("dropContexts changes nothing where the cluster has no context", async () => {
  const text = "# mine\ncontext: a\ncontexts:\n  a: {endpoints: [x]}\n";
  await withFolder({ config: text }, async (folder) => {
    const path = `${folder}/config`;
    await dropContexts({ path, writable: true }, listKnownBy("one"));
    assert.equal(await Deno.readTextFile(path), text);
    const none = `${folder}/none`;
    await dropContexts({ path: none, writable: true }, listKnownBy("one"));
    await assert.rejects(Deno.stat(none), Deno.errors.NotFound);
  });
});

Deno.test("dropContexts takes out contexts of the name with the cluster's endpoints, whatever CA they trust", async () => {
  await withFolder({}, async (folder) => {
    const path = `${folder}/config`;
    const contexts = {
      lab: { endpoints: ["127.9.0.2"], ca: btoa("before a rotation") },
      "lab-1": { endpoints: ["127.9.0.2:50000", "127.9.0.3"] },
      "lab-2": { endpoints: ["127.9.0.2", "10.0.0.1"] },
      "lab-two": { endpoints: ["127.9.0.2"] },
      "lab-3": { endpoints: [] },
    };
    await Deno.writeTextFile(
      path,
      JSON.stringify({ context: "lab", contexts }),
    );
    const endpoints = ["127.9.0.2", "127.9.0.2:50000", "127.9.0.3"];
    const known = { name: "lab", ca: undefined, endpoints };
    assert.equal(await dropContexts({ path, writable: true }, known), "lab-2");
    const config = await readOsconfig(path);
    assert.deepEqual([...config?.contexts.keys() ?? []], [
      "lab-2",
      "lab-two",
      "lab-3",
    ]);
  });
});
