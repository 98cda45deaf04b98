import assert from "node:assert/strict";
import type { TLSSocket } from "node:tls";
import { decodePemAs } from "../../pki/pem.ts";
import { clientIdentity } from "../../simulator/identities.ts";
import { clientRoles } from "../../simulator/peer.ts";
import { madeNodes } from "./_node.ts";

function socketWith(raw?: Uint8Array): TLSSocket {
  // All that is asked of a socket here.
  return { getPeerCertificate: () => ({ raw }) } as unknown as TLSSocket;
}

Deno.test("a client has the roles in its certificate, if that is for clients only", async () => {
  const [node] = await madeNodes();
  const { authority } = node!.cluster;
  const rolesOf = async (...uses: ("clientAuth" | "serverAuth")[]) => {
    const { crt } = await clientIdentity(
      authority,
      ["os:reader", "friends"],
      {},
      uses,
    );
    return clientRoles(node!, socketWith(decodePemAs("CERTIFICATE", crt)[0]));
  };
  assert.deepEqual(
    await rolesOf("clientAuth"),
    new Set(["os:reader", "friends"]),
  );
  assert.equal(await rolesOf("serverAuth"), undefined);
  assert.equal(await rolesOf("clientAuth", "serverAuth"), undefined);
  assert.equal(clientRoles(node!, socketWith()), undefined);
});

Deno.test("everybody is a reader of a node without configuration", async () => {
  const [node] = await madeNodes({ unconfigured: () => true });
  assert.deepEqual(clientRoles(node!, socketWith()), new Set(["os:reader"]));
});
