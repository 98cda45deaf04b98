import assert from "node:assert/strict";
import { startKubernetes } from "../../../workflows/kubernetes/start_cluster.ts";
import { readOsconfig } from "../../../config/osconfig/osconfig_file.ts";
import { withWire } from "../../_wire.ts";

/** PEM of a field of a client configuration. */
const pem = (base64 = "") =>
  new TextDecoder().decode(Uint8Array.fromBase64(base64));

Deno.test("nodes are bootstrapped, waited for, and their kubeconfig is merged; a second time nothing is left to do", async () => {
  const options = { controlplanes: 1, workers: 1, bootstrapped: false };
  await withWire(
    options,
    async ({ names: [first = "", worker = ""], osconfig, osctl }) => {
      const file = await readOsconfig(osconfig);
      const client = file?.contexts.get(file.current);
      const { ca, crt, key, endpoints = [] } = client ?? {};
      const home = osconfig.replace(/[^/]*$/, "");
      const phases: string[] = [];
      const start = () =>
        startKubernetes({
          access: {
            endpoints,
            nodes: [first, worker],
            ca: pem(ca),
            crt: pem(crt),
            key: pem(key),
          },
          controlPlanes: [first],
          workers: [worker],
          kubernetes: "https://127.0.0.1:16443",
          waitMs: 60_000,
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
        }, {
          now: () => new Date(),
          env: () => undefined,
          signal: new AbortController().signal,
          note() {},
        });
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
