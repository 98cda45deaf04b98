/** Which images a request is about. */

import { RpcError } from "../../errors.ts";
import {
  type ContainerdInstance,
  ContainerdNamespace as Namespace,
  ContainerDriver as Driver,
} from "../../transport/gen/common.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import type { ImageStore } from "./node_disk.ts";

/**
 * Finds the images of a namespace, those of Kubernetes or of the system's own containers beside it.
 *
 * @throws {RpcError} INVALID_ARGUMENT when there is no such namespace.
 */
export function storeOfNamespace(namespace: Namespace): ImageStore {
  if (namespace === Namespace.NS_CRI) return "cri/k8s.io";
  if (namespace === Namespace.NS_SYSTEM) return "cri/system";
  throw invalid(`invalid namespace ${enumName(Namespace, namespace)}`);
}

/**
 * Finds the images of a runtime.
 *
 * @throws {RpcError} INVALID_ARGUMENT when there is no such runtime, or no such namespace in it.
 */
export function storeOfInstance(
  { driver, namespace }: ContainerdInstance = {
    driver: Driver.CONTAINERD,
    namespace: Namespace.NS_UNKNOWN,
  },
): ImageStore {
  if (driver !== Driver.CONTAINERD && driver !== Driver.CRI) {
    const name = enumName(Driver, driver);
    throw invalid(`invalid containerd driver ${name}`);
  }
  if (namespace !== Namespace.NS_CRI && namespace !== Namespace.NS_SYSTEM) {
    const name = enumName(Namespace, namespace);
    throw invalid(`invalid containerd namespace ${name}`);
  }
  if (driver === Driver.CRI) return storeOfNamespace(namespace);
  if (namespace === Namespace.NS_SYSTEM) return "system/system";
  throw invalid("cannot use CRI namespace with containerd driver");
}

function invalid(message: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", message);
}
