/** Admin kubeconfigs: `Kubeconfig`. */

import { issueKeyPair, yearFrom } from "../state/identities.ts";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { pack as createPack } from "tar-stream";
import { stringify } from "yaml";
import { domain } from "../../talos.ts";
import { RpcError } from "../../errors.ts";
import type { MachineHandlers } from "./handlers.ts";
import { apiServerPort } from "../kubernetes/server.ts";
import type { SimulatedNode } from "../state/node.ts";
import { formatEndpoint } from "../state/node_address.ts";
import { encodeCertificates } from "../state/trust.ts";
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

/** Admin kubeconfig with a certificate that is valid for a year. */
async function adminKubeconfig(node: SimulatedNode): Promise<string> {
  const { cluster, clock, kubernetes: { trust } } = node;
  const ca = trust.issuer;
  if (ca === undefined) throw new RpcError("NOT_FOUND", noKubeconfig);
  const { certificate, key } = await issueKeyPair({
    ca,
    algorithm: "ECDSA",
    subject: { organizations: ["system:masters"], commonName: "admin" },
    keyUsage: ["digitalSignature", "keyEncipherment"],
    extendedKeyUsage: ["clientAuth"],
    ...yearFrom(clock.now(), 10_000),
  });
  const { name } = cluster;
  const user = `admin@${name}`;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{
      name,
      cluster: {
        server: formatServer(node),
        "certificate-authority-data": base64(
          encodeCertificates(trust.accepted),
        ),
      },
    }],
    users: [{
      name: user,
      user: {
        "client-certificate-data": base64(certificate),
        "client-key-data": base64(key),
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

function formatServer({ cluster, origin }: SimulatedNode): string {
  const [first = origin] = cluster.nodes.map(({ origin }) => origin);
  const host = first.address;
  return cluster.kubernetesUrl?.(origin.address) ??
    `https://${formatEndpoint({ host, port: apiServerPort })}`;
}

/** Makes an archive as nodes send it: without padding and end marker. */
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

/** Size of a file header, in bytes. */
const tarHeader = 512;

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
