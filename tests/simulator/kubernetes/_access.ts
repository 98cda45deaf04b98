/** Access to the API servers of a simulated cluster. */

import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import {
  type CertificateAuthority,
  issueCertificate,
} from "../../../pki/certificate.ts";
import { exportPublicSpki, generateKey } from "../../../pki/key.ts";
import { encodePem, pemLabel } from "../../../pki/pem.ts";
import { encodePkcs8 } from "../../../pki/private_key.ts";
import type { KubernetesAccess } from "../../../workflows/kubernetes/access.ts";

/**
 * Makes an administrator of a cluster.
 *
 * @param cluster The cluster.
 * @param index Number of the control plane it speaks to; default the first.
 * @param signer CA of the client; default that of the cluster.
 */
export async function adminAccess(
  { nodes }: Pick<RunningCluster, "nodes">,
  index: number = 0,
  signer?: CertificateAuthority,
): Promise<KubernetesAccess> {
  const node = nodes[index]!; // the test has made it
  const ca = node.kubernetes.trust.issuer!; // a control plane has it
  const key = await generateKey("ECDSA");
  const certificate = await issueCertificate({
    ca: signer ?? ca,
    publicKey: await exportPublicSpki(key),
    subject: { organizations: ["system:masters"], commonName: "admin" },
    extendedKeyUsage: ["clientAuth"],
  });
  return {
    server: node.cluster.kubernetesUrl?.(node.origin.address) ?? "",
    ca: encodePem(pemLabel.certificate, ca.certificate),
    crt: encodePem(pemLabel.certificate, certificate),
    key: encodePkcs8(key),
  };
}
