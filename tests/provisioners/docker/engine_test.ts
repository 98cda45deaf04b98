import assert from "node:assert/strict";
import {
  asking,
  ifThere,
  openEngine,
  portHost,
} from "../../../provisioners/docker/engine.ts";
import { createCa } from "../../../pki/ca.ts";
import { encodePkcs8 } from "../../../pki/private_key.ts";
import { issueKeyPair } from "../../../simulator/state/identities.ts";
import { withFolder } from "../../_folder.ts";
import { usualEngine, withEngine } from "./_fake_engine.ts";

const unwatched = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "openEngine reads what an engine says of itself",
  unwatched,
  async () => {
    await withEngine(usualEngine, async (env) => {
      const { facts, api } = await openEngine(env);
      assert.deepEqual(facts, {
        version: "27.1",
        api: "1.46",
        isPodman: false,
        isRootless: false,
        canLimit: true,
        canConnect: true,
        cgroups: "2",
        processors: 4,
        memory: 8_589_934_592,
        os: "linux",
      });
      const inspect = () => api.getContainer("x").inspect();
      assert.equal(await ifThere(inspect), undefined);
      await assert.rejects(asking("read x", inspect), {
        message: "Cannot read x: no GET /containers/x/json",
        status: 1,
      });
    });
  },
);

Deno.test("ports are reached where the engine is", () => {
  const hosts = ["localhost", "127.0.0.9", "::1", "10.0.0.9", "fd00::9"];
  const addresses = [
    { socketPath: "/run/docker.sock" },
    ...hosts.map((host) => ({ host, port: 2376 })),
  ];
  assert.deepEqual(
    addresses.map((address) => portHost({ address, text: "" })),
    [
      ...["127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1"],
      ...["10.0.0.9", "[fd00::9]"],
    ],
  );
});

Deno.test(
  "openEngine says why an engine cannot be used",
  unwatched,
  async () => {
    const old = { Version: "18.1", ApiVersion: "1.35" };
    await withEngine({ ...usualEngine, "GET /version": old }, async (env) => {
      await assert.rejects(openEngine(env), {
        message: /its version 18\.1 has API 1\.35, and 1\.40 is required$/,
        hint: "Update the engine",
        status: 2,
      });
    });
    await assert.rejects(openEngine(() => "unix:///nowhere/e.sock"), {
      message:
        "Cannot reach the container engine at unix:///nowhere/e.sock of DOCKER_HOST: there is no such socket",
      hint: "Start the engine, or set DOCKER_HOST to a running one",
      status: 1,
    });
  },
);

Deno.test(
  "an engine behind TLS is believed without DOCKER_TLS_VERIFY only",
  unwatched,
  async () => {
    const { certificate, key } = await issueKeyPair({
      ca: await createCa({ organizations: [] }),
      algorithm: "ECDSA",
      encodeKey: encodePkcs8,
      subject: { organizations: [], commonName: "elsewhere" },
      extendedKeyUsage: ["serverAuth"],
      now: new Date(),
      notAfter: new Date(Date.now() + 3_600_000),
    });
    const answers: Readonly<Record<string, unknown>> = usualEngine;
    const tls = { cert: certificate, key, port: 0, onListen() {} };
    await using server = Deno.serve(
      tls,
      ({ url }) => Response.json(answers[`GET ${new URL(url).pathname}`]),
    );
    await withFolder({}, async (folder) => {
      const env = {
        DOCKER_HOST: `tcp://127.0.0.1:${server.addr.port}`,
        DOCKER_CERT_PATH: folder,
      };
      const opened = (more: Readonly<Record<string, string>>) =>
        openEngine((name) => ({ ...env, ...more })[name]);
      const { facts } = await opened({});
      assert.equal(facts.version, "27.1");
      await assert.rejects(opened({ DOCKER_TLS_VERIFY: "1" }), {
        message: /^Cannot reach the container engine at tcp:.*certificate/,
        status: 1,
      });
    });
  },
);
