import assert from "node:assert/strict";
import { counting } from "../_node_counts.ts";
import { withFolder } from "../_folder.ts";
import { withWire } from "../_wire.ts";
import {
  alone,
  meetAll,
  old,
  type Trial,
  wiping,
} from "./faults/_fault_cases.ts";

/** Commands for the only control plane, which ends each of them alike. */
function all(
  failure: string,
  reported: RegExp,
): readonly Trial[] {
  const operations = [
    `upgrade --to v1.12.2 ${alone}`,
    `${wiping} ${alone}`,
    "etcd alarm disarm",
    "etcd defrag",
    "etcd forfeit-leadership",
    "etcd leave --yes",
    "bootstrap",
  ];
  const calls = [
    "apply-config -f FILE",
    "apply-config -f FILE --dry-run",
    "apply-config -f FILE --mode try --timeout 5s",
    "etcd members",
    "etcd status",
    "etcd alarm list",
  ];
  const ofOne = ["etcd snapshot SNAPSHOT", "etcd remove-member 1234 --yes"];
  return [
    ...operations.map((line) => ({
      line,
      status: 1,
      ends: ["failed"],
      reported,
    })),
    ...calls.map((line) => ({ line, status: 1, ends: [failure], reported })),
    ...ofOne.map((line) => ({ line, status: 1, reported })),
  ];
}

meetAll([
  {
    name: "a certificate that has expired",
    cluster: old,
    faults: [[0, "server-cert-expired"]],
    nodes: [0],
    trials: all("server-expired", /its certificate expired on /),
  },
  {
    name: "a certificate of another CA",
    cluster: old,
    faults: [[0, "server-ca-changed"]],
    nodes: [0],
    trials: all(
      "wrong-ca",
      /its certificate is signed by "O=talos" \(key ID \w{8}\), which is not trusted here; trusted: "O=talos" \(key ID \w{8}\)/,
    ),
  },
  {
    name: "a certificate that is not valid yet",
    cluster: old,
    faults: [[0, "server-cert-not-yet-valid"]],
    nodes: [0],
    trials: all("server-not-yet-valid", /its certificate is not valid before /),
  },
  {
    name: "a certificate with another name",
    cluster: old,
    faults: [[0, "not-in-san"]],
    nodes: [0],
    trials: all("wrong-name", /error: /),
  },
  {
    name: "a CA that does not know the client",
    cluster: old,
    faults: [[0, "client-cert-refused"]],
    nodes: [0],
    trials: all(
      "reset",
      /it closed the connection after seeing the client certificate/,
    ),
  },
  {
    name: "nothing but a maintenance API",
    cluster: old,
    faults: [[0, "maintenance"]],
    nodes: [0],
    trials: all("maintenance", /error: /),
  },
]);

Deno.test("commands send nothing with a client certificate that has expired", async (t) => {
  await withFolder(
    { "c.yaml": "machine: {}\n" },
    (folder) =>
      withWire(old, async ({ cluster, osctl, osconfig, names }) => {
        const { crt, key } = await cluster.identify(["os:admin"], {
          notBefore: new Date(Date.now() - 7_200_000),
          notAfter: new Date(Date.now() - 3_600_000),
        });
        const base64 = (pem: string) =>
          new TextEncoder().encode(pem).toBase64();
        const text = await Deno.readTextFile(osconfig);
        await Deno.writeTextFile(
          osconfig,
          text.replace(/crt: .*/, `crt: ${base64(crt)}`)
            .replace(/key: .*/, `key: ${base64(key)}`),
        );
        const count = await counting(cluster.nodes[0]!, "Reboot");
        for (const { line } of [...all("", /^/), { line: "reboot" }]) {
          await t.step(line, async () => {
            const words = line.replace("FILE", `${folder}/c.yaml`)
              .replace("SNAPSHOT", `${folder}/db`);
            const { out, err, status } = await osctl(
              `${words} -n ${names[0]} -o jsonl`,
            );
            assert.match(
              err,
              /^error: Cannot use context "simulated": .*expired/m,
            );
            assert.deepEqual([out, status], ["", 2]);
            assert.deepEqual(count(), { calls: 0, boots: 0 });
            const files = await Array.fromAsync(Deno.readDir(folder));
            assert.deepEqual(files.map(({ name }) => name), ["c.yaml"]);
          });
        }
      }),
  );
});
