/** Kubeconfigs over the wire: `Kubeconfig`. */

import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { pack as createPack } from "tar-stream";
import { stringify } from "yaml";
import { domain } from "../../dialect.ts";
import { RpcError } from "../../errors.ts";
import { issueCertificate } from "../../pki/certificate.ts";
import { generateKey, publicSpkiOf } from "../../pki/key.ts";
import { encodePem, pemLabel } from "../../pki/pem.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import { apiServerPort } from "../kubernetes/server.ts";
import type { SimulatedNode } from "../node/node.ts";
import { endpointOf } from "../cluster/node_address.ts";
import { encodeAll } from "../node/trust.ts";
import { chunks } from "./byte_stream.ts";
import { requireControlPlane } from "./control_plane.ts";

/** `Kubeconfig`. */
export const kubeconfig: MachineHandlers = {
  async *kubeconfig(_, { node }) {
    requireControlPlane(node, "kubeconfig");
    const text = await adminKubeconfig(node);
    yield* chunks(node, [gzipSync(await openArchive(text, node))]);
  },
};

const yearMs = 365 * 24 * 3_600_000;

/** Kubeconfig of an administrator whose certificate ends in a year. */
async function adminKubeconfig(node: SimulatedNode): Promise<string> {
  const { cluster, clock, kubernetes: { trust } } = node;
  const ca = trust.issuer;
  if (ca === undefined) throw new RpcError("NOT_FOUND", noKubeconfig);
  const key = await generateKey("ECDSA");
  const now = clock.now();
  const certificate = await issueCertificate({
    ca,
    publicKey: await publicSpkiOf(key),
    subject: { organizations: ["system:masters"], commonName: "admin" },
    keyUsage: ["digitalSignature", "keyEncipherment"],
    extendedKeyUsage: ["clientAuth"],
    // Clients whose clocks are a little behind must take it.
    notBefore: new Date(now - 10_000),
    notAfter: new Date(now + yearMs),
  });
  const { name } = cluster;
  const user = `admin@${name}`;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{
      name,
      cluster: {
        server: serverOf(node),
        "certificate-authority-data": base64(encodeAll(trust.accepted)),
      },
    }],
    users: [{
      name: user,
      user: {
        "client-certificate-data": base64(
          encodePem(pemLabel.certificate, certificate),
        ),
        "client-key-data": base64(encodePrivateKey(key)),
      },
    }],
    contexts: [{
      name: user,
      context: { cluster: name, namespace: "default", user },
    }],
    "current-context": user,
  }, { lineWidth: 0 });
}

const noKubeconfig =
  `resource "KubernetesSecrets.secrets.${domain}" "k8s-certs" not found`;

function serverOf({ cluster, origin }: SimulatedNode): string {
  const [first = origin] = cluster.nodes.map(({ origin }) => origin);
  const host = first.address;
  return cluster.kubernetesUrl?.(origin.address) ??
    `https://${endpointOf({ host, port: apiServerPort })}`;
}

/** An archive as nodes send it: without padding and the mark at its end. */
async function openArchive(
  text: string,
  { clock }: SimulatedNode,
): Promise<Uint8Array> {
  const pack = createPack();
  const content = new TextEncoder().encode(text);
  const mtime = new Date(clock.now());
  pack.entry({ name: "kubeconfig", mode: 0o600, mtime }, text);
  pack.finalize();
  const whole = await buffer(pack);
  return whole.subarray(0, tarHeader + content.length);
}

/** Size of what stands in front of a file, in bytes. */
const tarHeader = 512;

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
