import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { findEngine } from "../../../provisioners/docker/endpoint.ts";
import { withFolder } from "../../_folder.ts";

/** Finds the engine of an environment. */
function find(env: Readonly<Record<string, string>>) {
  return findEngine((name) => env[name]);
}

Deno.test("the engine is where DOCKER_HOST says", async () => {
  assert.deepEqual(await find({ DOCKER_HOST: "unix:///run/e.sock" }), {
    address: { socketPath: "/run/e.sock" },
    text: "unix:///run/e.sock",
    source: "DOCKER_HOST",
  });
  const { address } = await find({ DOCKER_HOST: "tcp://10.0.0.9" });
  assert.deepEqual(address, { host: "10.0.0.9", port: 2375 });
  await withFolder(
    { "ca.pem": "CA", "cert.pem": "C", "key.pem": "K" },
    async (folder) => {
      const secure = await find({
        DOCKER_HOST: "tcp://engine:2376",
        DOCKER_TLS_VERIFY: "1",
        DOCKER_CERT_PATH: folder,
      });
      assert.deepEqual(secure.address, {
        host: "engine",
        port: 2376,
        tls: { verify: true, ca: "CA", cert: "C", key: "K" },
      });
    },
  );
});

Deno.test("the engine is where the context says", async () => {
  const hash = createHash("sha256").update("remote").digest("hex");
  const meta = JSON.stringify({
    Name: "remote",
    Endpoints: { docker: { Host: "tcp://10.0.0.9:1", SkipTLSVerify: true } },
  });
  await withFolder({
    ".docker/config.json": '{"currentContext":"remote"}',
    [`.docker/contexts/meta/${hash}/meta.json`]: meta,
    [`.docker/contexts/tls/${hash}/docker/ca.pem`]: "CA",
  }, async (home) => {
    assert.deepEqual(await find({ HOME: home }), {
      address: { host: "10.0.0.9", port: 1, tls: { verify: false, ca: "CA" } },
      text: "tcp://10.0.0.9:1",
      source: 'context "remote"',
    });
    await assert.rejects(find({ HOME: home, DOCKER_CONTEXT: "lost" }), {
      message:
        /^Cannot use container engine of context "lost": ".*meta\.json" does not exist$/,
      status: 2,
    });
  });
});

Deno.test("the engine is at a usual socket, that of Podman too", async () => {
  const variables: Readonly<Record<string, string>> = {
    XDG_RUNTIME_DIR: "/run/user/1000",
    HOME: "/home/me",
  };
  const order = [
    "/var/run/docker.sock",
    "/run/user/1000/docker.sock",
    "/home/me/.docker/run/docker.sock",
    "/run/user/1000/podman/podman.sock",
    "/run/podman/podman.sock",
  ];
  for (const [index, socketPath] of order.entries()) {
    const there = order.slice(index);
    const found = await findEngine(
      (name) => variables[name],
      (path) => Promise.resolve(there.includes(path)),
    );
    assert.deepEqual(found.address, { socketPath });
  }
  await assert.rejects(
    findEngine((name) => variables[name], () => Promise.resolve(false)),
    {
      message: `Cannot find a container engine: there is no socket at ${
        order.join(", ")
      }`,
      status: 2,
    },
  );
});

Deno.test("an engine that cannot be used is named, with what would be right", async () => {
  await assert.rejects(find({ DOCKER_HOST: "ssh://me@engine" }), {
    message: 'Cannot use container engine "ssh://me@engine" of DOCKER_HOST',
    hint: "Forward its socket with ssh -L, and set DOCKER_HOST to unix:///path",
    status: 2,
  });
  await assert.rejects(find({ DOCKER_HOST: "engine" }), {
    hint: "Give it as unix:///path/docker.sock or tcp://host:2376",
  });
});
