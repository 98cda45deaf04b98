/** Whether a kubelet and the API servers trust each other. */

import { sameBytes } from "../../pki/der.ts";
import type { SimulatedNode } from "../node/node.ts";
import { includes } from "../node/trust.ts";

/**
 * Whether some API server lets the kubelet of a node report.
 *
 * A kubelet without a certificate, or with one of an authority that its node
 * does not trust any more, is given another one by its token.
 */
export function isAdmitted(
  { cluster, kubernetes, faults }: SimulatedNode,
): boolean {
  if (faults.has("kubelet-silent")) return false;
  const { accepted } = kubernetes.trust;
  const servers = cluster.nodes.flatMap((
    { kubernetes: { trust }, disk: { configured } },
  ) =>
    configured && trust.issuer && includes(accepted, trust.issuer)
      ? [{ ...trust, issuer: trust.issuer }]
      : []
  );
  const known = kubernetes.kubelet;
  const kubelet = known && accepted.some((one) => sameBytes(one, known))
    ? known
    : servers[0]?.issuer.certificate;
  kubernetes.kubelet = kubelet;
  return kubelet !== undefined &&
    servers.some((one) => includes(one.accepted, { certificate: kubelet }));
}
