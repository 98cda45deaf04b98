import assert from "node:assert/strict";
import { createSecureServer } from "node:http2";
import { TimeoutError } from "../../../errors.ts";
import { createCa } from "../../../pki/ca.ts";
import { serverKeyPair } from "../../../simulator/etcd/real/real_server.ts";
import { openNodes } from "../../../transport/node/open_nodes.ts";
import { sendConfiguration } from "../../../workflows/configuration/send.ts";
import {
  type KubernetesStart,
  mayBeSent,
  startKubernetes,
} from "../../../commands/cluster/_start_cluster.ts";
import { readOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { type Wire, withWire } from "../../_wire.ts";

/** PEM of a field of a client configuration. */
const pem = (base64 = "") =>
  new TextDecoder().decode(Uint8Array.fromBase64(base64));

/** A start of a cluster's first control plane. */
async function makeStart(
  { names: [first = ""], osconfig }: Wire,
): Promise<KubernetesStart> {
  const file = await readOsconfig(osconfig);
  const { ca, crt, key, endpoints = [] } = file?.contexts.get(file.current) ??
    {};
  return {
    access: {
      endpoints,
      nodes: [first],
      ca: pem(ca),
      crt: pem(crt),
      key: pem(key),
    },
    controlPlanes: [first],
    workers: [],
    kubernetes: "https://127.0.0.1:16443",
    waitMs: 60_000,
    consoles: "podman logs lab-controlplane-1",
    progress: { phase: (_, work) => work(() => {}), node() {} },
  };
}

const context = {
  environment: { now: () => new Date(), env: () => undefined },
  signal: new AbortController().signal,
  note() {},
};

Deno.test("a node may have a configuration whose answer is lost with the connection, and none before there is one", async () => {
  const ca = await createCa({ organizations: [] });
  const hosts = { hostname: "localhost", addresses: ["127.0.0.1"] };
  const { certificate: cert, key } = await serverKeyPair(ca, hosts);
  const server = createSecureServer({ cert, key });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  // As a node that ends without a word.
  server.on("secureConnection", (socket) => {
    server.once("stream", () => socket.destroy());
  });
  await promise;
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const place = `127.0.0.1:${address.port}`;
  const sent = async () => {
    const nodes = openNodes({
      ...context,
      env: context.environment.env,
      endpoints: [],
      nodes: [place],
      identity: {},
      maintenance: { fingerprints: [] },
      nodeTimeoutMs: 10_000,
    });
    try {
      const node = await nodes.unconfigured(place);
      await sendConfiguration(node, { text: "machine: {}\n", mode: 0 });
    } catch (error) {
      return mayBeSent(error);
    } finally {
      nodes.close();
    }
  };
  assert.equal(await sent(), true);
  await new Promise((closed) => server.close(closed));
  assert.equal(await sent(), false);
});

Deno.test("nodes are bootstrapped, waited for, and their kubeconfig is merged; a second time nothing is left to do", async () => {
  const options = { controlplanes: 1, workers: 1, bootstrapped: false };
  await withWire(
    options,
    async (wire) => {
      const { names: [first = "", worker = ""], osconfig, osctl } = wire;
      const home = osconfig.replace(/[^/]*$/, "");
      const phases: string[] = [];
      const made = await makeStart(wire);
      const start = () =>
        startKubernetes({
          ...made,
          access: { ...made.access, nodes: [first, worker] },
          workers: [worker],
          // The URL is nobody's.
          healthy: false,
          kubeconfig: `${home}kubeconfig`,
          progress: {
            phase(name, work) {
              phases.push(name);
              return work(() => {});
            },
            node() {},
          },
        }, context);
      await start();
      await start();
      const once = [
        "waiting for the node API",
        "bootstrapping etcd",
        `merging kubeconfig into ${home}kubeconfig`,
      ];
      assert.deepEqual(phases, [...once, ...once]);
      const members = await osctl(`etcd members -n ${first} -o jsonl`);
      assert.equal(members.out.trimEnd().split("\n").length, 1, members.err);
      const kubeconfig = await Deno.readTextFile(`${home}kubeconfig`);
      assert.deepEqual(kubeconfig.match(/server: .*/g), [
        "server: https://127.0.0.1:16443",
      ]);
    },
  );
});

Deno.test("a start that takes too long says how long it may take, and where to look", async () => {
  const options = { controlplanes: 1, workers: 1, bootstrapped: false };
  await withWire(options, async (wire) => {
    const { names: [first = "", worker = ""], cluster } = wire;
    const made = await makeStart(wire);
    /** The time is up when a phase begins. */
    const lateIn = async (late: string, controlPlanes = [first]) => {
      let ahead = 0;
      const progress: KubernetesStart["progress"] = {
        phase(name, work) {
          if (name === late) ahead = made.waitMs + 1;
          return work(() => {});
        },
        node() {},
      };
      const now = () => new Date(Date.now() + ahead);
      const error = await startKubernetes(
        { ...made, controlPlanes, progress },
        { ...context, environment: { ...context.environment, now } },
      ).catch((error) => error);
      assert.ok(error instanceof TimeoutError, String(error));
      assert.equal(
        error.hint,
        "Increase --wait-timeout, or read what the nodes print: podman logs lab-controlplane-1",
      );
      return error.message.replace(/: .*/, "");
    };
    assert.equal(
      await lateIn("waiting for healthy nodes"),
      "Timed out after 60 s waiting for etcd to have no alarms",
    );
    // Nodes that are not ready say no as workers do.
    assert.equal(
      await lateIn("bootstrapping etcd", [worker]),
      "Timed out after 60 s waiting to bootstrap etcd",
    );
    await cluster.setFault(first, "unavailable");
    assert.equal(
      await lateIn("waiting for the node API"),
      `node ${first} did not answer within 60 s`,
    );
  });
});
