/** Resources: `cosi.resource.State`. */

import { RpcError } from "../../errors.ts";
import {
  EventType,
  type StateDefinition,
} from "../../transport/gen/cosi_resource.ts";
import type { Handlers, NodeCall } from "./handlers.ts";
import {
  definitionOfType,
  hasNamespace,
  isShared,
} from "../resources/resource_definitions.ts";
import { encodeResource } from "../resources/resource_encoding.ts";
import { matcher } from "../resources/resource_queries.ts";
import { watch } from "../resources/resource_watch.ts";
import type { NodeResources, ResourceKey } from "../resources/resources.ts";
import { findMinor } from "../release/release.ts";
import { notAuthorized } from "../state/roles.ts";

/** `Get`, `List` and `Watch`; nodes refuse writes. */
export const resourceState: Handlers<typeof StateDefinition> = {
  get(key, call) {
    checkAccess(key, call);
    const resource = findStore(key, call).get(key);
    if (!resource) {
      throw new RpcError(
        "NOT_FOUND",
        `resource ${key.type}(${key.namespace}/${key.id}@undefined) doesn't exist`,
      );
    }
    return { resource: encodeResource(resource) };
  },
  async *list(kind, call) {
    checkAccess(kind, call);
    const matches = matcher(kind.options);
    for (const resource of findStore(kind, call).list(kind)) {
      if (matches(resource)) yield { resource: encodeResource(resource) };
    }
  },
  async *watch(request, call) {
    checkAccess(request, call);
    const { node, signal } = call;
    const cookie = encodeCookie(node.boot.id);
    const groups = watch(findStore(request, call), request, { cookie, signal });
    yield { event: [] };
    for await (const events of groups) {
      const event = events.filter(({ eventType }) =>
        request.apiVersion >= 1 || !sinceVersion1.has(eventType)
      );
      if (event.length > 0) yield { event };
    }
  },
  create: refuseWrites,
  update: refuseWrites,
  destroy: refuseWrites,
  teardown: refuseWrites,
  teardownAndDestroy: refuseWrites,
};

/** Event types unknown to older clients. */
const sinceVersion1: ReadonlySet<EventType> = new Set([
  EventType.BOOTSTRAPPED,
  EventType.ERRORED,
]);

function refuseWrites(): never {
  throw deniedError("write access is not allowed");
}

function encodeCookie(bootId: string): Uint8Array {
  return Uint8Array.fromHex(bootId.replaceAll("-", "").slice(0, 16));
}

function findStore(
  kind: Omit<ResourceKey, "id">,
  { node }: NodeCall,
): NodeResources {
  if (kind.namespace === "meta") {
    return node.cluster.descriptions(findMinor(node));
  }
  const knowsOthers = node.disk.configured &&
    !node.faults.has("discovery-down");
  return isShared(kind) && knowsOthers
    ? node.cluster.shared
    : node.boot.resources;
}

/** Allows known types in known namespaces, and secrets only to administrators. */
function checkAccess(
  { namespace, type }: Omit<ResourceKey, "id">,
  { node, roles }: NodeCall,
): void {
  const minor = findMinor(node);
  const definition = definitionOfType(type, minor);
  if (!definition) {
    throw deniedError(`resource type "${type}" is not supported`);
  }
  if (definition.sensitivity && !roles.has("os:admin")) throw notAuthorized();
  if (!hasNamespace(namespace, minor)) {
    throw deniedError(`namespace "${namespace}" is not supported`);
  }
}

function deniedError(message: string): RpcError {
  return new RpcError("PERMISSION_DENIED", message);
}
