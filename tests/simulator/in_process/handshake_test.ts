import assert from "node:assert/strict";
import { createCa } from "../../../pki/ca.ts";
import type { FaultName } from "../../../simulator/state/faults.ts";
import { clientCredentials } from "../../../simulator/state/identities.ts";
import { handshake } from "../../../simulator/in_process/handshake.ts";
import type { SimulatedNode } from "../../../simulator/state/node.ts";
import { encodeCertificates } from "../../../simulator/state/trust.ts";
import { bootedNode, noon } from "../_node.ts";

const notBefore = new Date(noon - 3_600_000);

async function handshakeError(
  node: SimulatedNode,
  ...[lifetime, uses, ca = node.cluster.osCa]: readonly [
    Parameters<typeof clientCredentials>[2]?,
    Parameters<typeof clientCredentials>[3]?,
    Parameters<typeof clientCredentials>[0]?,
  ]
): Promise<string> {
  const own = { notBefore, ...lifetime };
  const identity = await clientCredentials(ca, ["os:admin"], own, uses);
  const known = encodeCertificates([node.cluster.osCa.certificate]);
  return await handshake(node, { ...identity, ca: known })
    .then((roles) => [...roles].join(), ({ reason }) => reason);
}

Deno.test("a client of the cluster is let in with its roles", async () => {
  const node = await bootedNode();
  assert.equal(await handshakeError(node), "os:admin");
  assert.equal(await handshakeError(node), "os:admin");
});

Deno.test("clients are refused for what is wrong with their certificate", async () => {
  const node = await bootedNode();
  const stranger = await createCa({ organizations: ["os"] });
  const past = new Date(noon - 60_000);
  const future = { notBefore: new Date(noon + 60_000) };
  assert.equal(
    await handshakeError(node, {}, undefined, stranger),
    "client-wrong-ca",
  );
  assert.equal(
    await handshakeError(node, { notAfter: past }),
    "client-expired",
  );
  assert.equal(await handshakeError(node, future), "client-not-yet-valid");
  assert.equal(
    await handshakeError(node, {}, ["clientAuth", "serverAuth"]),
    "client-no-client-auth",
  );
  const { ca, key } = await clientCredentials(node.cluster.osCa, []);
  await assert.rejects(handshake(node, { ca, crt: "", key }), {
    reason: "client-missing",
  });
});

Deno.test("a client of a CA that has expired is refused", async () => {
  const node = await bootedNode();
  const ended = await createCa({
    organizations: ["os"],
    notBefore,
    notAfter: new Date(noon - 1_000),
  });
  const accepted = [ended.certificate, node.cluster.osCa.certificate];
  node.trust = { ...node.trust, accepted };
  const lasting = { notAfter: new Date(noon + 60_000) };
  assert.equal(
    await handshakeError(node, lasting, undefined, ended),
    "client-wrong-ca",
  );
});

Deno.test("a node of another CA is not believed", async () => {
  const node = await bootedNode();
  const stranger = await createCa({ organizations: ["os"] });
  node.trust = { ...node.trust, issuer: stranger };
  assert.equal(await handshakeError(node), "wrong-ca");
});

for (
  const [fault, reason] of [
    ["server-ca-changed", "wrong-ca"],
    ["server-cert-expired", "server-expired"],
    ["server-cert-not-yet-valid", "server-not-yet-valid"],
    ["not-in-san", "wrong-name"],
    ["client-cert-refused", "client-wrong-ca"],
  ] as readonly (readonly [FaultName, string])[]
) {
  Deno.test(`the fault ${fault} is seen as ${reason}`, async () => {
    const node = await bootedNode();
    node.faults.set(fault, { remaining: Infinity, triggered: false });
    assert.equal(await handshakeError(node), reason);
  });
}

Deno.test("a node that is off, or without configuration, is distinguished", async () => {
  const node = await bootedNode();
  node.disk.configured = false;
  assert.equal(await handshakeError(node), "maintenance");
  node.boot.reachable = false;
  assert.equal(await handshakeError(node), "refused");
});
