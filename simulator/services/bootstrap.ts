/** Beginning a cluster over the wire: `Bootstrap` and the snapshot it may begin with. */

import { RpcError } from "../../errors.ts";
import { startEtcd } from "../etcd/etcd_service.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import { requireControlPlane } from "./control_plane.ts";

/** `Bootstrap` and `EtcdRecover`. */
export const bootstrap: MachineHandlers = {
  async bootstrap({ recoverEtcd: recover, recoverSkipHashCheck }, { node }) {
    if (node.boot.services.get("cri")?.state !== "Running") {
      throw refused("bootstrap is not available yet");
    }
    if (node.identity.machineType === "worker") {
      throw refused("bootstrap can only be performed on a control plane node");
    }
    if (await node.etcd.server.hasData()) {
      const text = "etcd data directory is not empty";
      throw new RpcError("ALREADY_EXISTS", text);
    }
    startEtcd(node, { recover, skipHashCheck: recoverSkipHashCheck });
    return { messages: [{}] };
  },
  async etcdRecover(parts, { node }) {
    if (node.boot.services.get("cri")?.state !== "Running") {
      throw refused("etcd service is not ready for recovery yet");
    }
    requireControlPlane(node, "etcd recover");
    await node.etcd.server.upload(bytesOf(parts));
    return { messages: [{}] };
  },
};

async function* bytesOf(
  parts: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of parts) yield bytes;
}

function refused(text: string): RpcError {
  return new RpcError("FAILED_PRECONDITION", text);
}
