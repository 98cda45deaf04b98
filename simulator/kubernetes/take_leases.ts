/** Somebody else who takes the Leases of a cluster. */

import type { KubernetesApi } from "./api.ts";
import { fieldsOf } from "./objects.ts";

const folder = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

/**
 * Makes somebody else the holder of every Lease in `kube-system`.
 *
 * @param now When, in milliseconds since 1970.
 */
export function takeLeases(
  { request }: Pick<KubernetesApi, "request">,
  now: number,
): void {
  const { body } = request({ method: "GET", path: folder });
  const { items } = fieldsOf(body);
  for (const item of Array.isArray(items) ? items : []) {
    const { metadata, spec } = fieldsOf(item);
    const { name } = fieldsOf(metadata);
    const transitions = Number(fieldsOf(spec).leaseTransitions ?? 0);
    const time = `${new Date(now).toISOString().slice(0, -1)}000Z`;
    const taken = {
      holderIdentity: "elsewhere",
      acquireTime: time,
      renewTime: time,
      leaseTransitions: transitions + 1,
    };
    request({
      method: "PATCH",
      path: `${folder}/${encodeURIComponent(String(name))}`,
      body: { spec: taken },
    });
  }
}
