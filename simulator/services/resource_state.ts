/** Resources over the wire: `cosi.resource.State`. */

import { RpcError } from "../../errors.ts";
import type { StateDefinition } from "../../transport/gen/cosi_resource.ts";
import type { Call, Handlers } from "../handlers.ts";
import {
  definitionOfType,
  metaResources,
  namespaces,
} from "../resource_definitions.ts";
import { encodeResource } from "../resource_encoding.ts";
import type { Resource, ResourceKey } from "../resources.ts";
import { notAuthorized } from "../roles.ts";

/** `Get` and `List`. */
export const resourceState: Handlers<typeof StateDefinition> = {
  get(key, call) {
    checkAccess(key, call);
    const resource = find(key, call);
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
    for (const resource of all(kind, call)) {
      yield { resource: encodeResource(resource) };
    }
  },
};

function all(
  kind: Omit<ResourceKey, "id">,
  { node }: Call,
): readonly Resource[] {
  const { namespace, type } = kind;
  return namespace === "meta"
    ? metaResources({ namespace, type }, node.bootTime)
    : node.resources.list(kind);
}

function find(key: ResourceKey, call: Call): Resource | undefined {
  return key.namespace === "meta"
    ? all(key, call).find(({ id }) => id === key.id)
    : call.node.resources.get(key);
}

/** Only known types in known namespaces, and secrets only for administrators. */
function checkAccess(
  { namespace, type }: Omit<ResourceKey, "id">,
  { roles }: Call,
): void {
  const definition = definitionOfType(type);
  if (!definition) throw denied(`resource type "${type}" is not supported`);
  if (definition.sensitivity && !roles.has("os:admin")) throw notAuthorized();
  if (!(namespace in namespaces)) {
    throw denied(`namespace "${namespace}" is not supported`);
  }
}

function denied(message: string): RpcError {
  return new RpcError("PERMISSION_DENIED", message);
}
