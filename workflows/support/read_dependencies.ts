import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import {
  type ControllerDependencyEdge,
  DependencyEdgeType,
} from "../../transport/gen/inspect.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import { unlessHidden } from "../../transport/node/read_resource.ts";
import { resourceTypes } from "../../transport/node/resource_types.ts";
import type {
  Dependency,
  DependencyKind,
  DependencyResource,
  NodeDependencies,
} from "./dependency_graph.ts";

/**
 * Reads the controllers of a node.
 *
 * @param options `withResources`: reads the resources of all types, too.
 * @throws {RpcError} If the node refuses.
 */
export async function readDependencies(
  client: NodeClient,
  { withResources }: { readonly withResources: boolean },
): Promise<NodeDependencies> {
  const { messages } = await client.inspect.controllerRuntimeDependencies({});
  const edges = single(messages).edges.map(toDependency);
  if (!withResources) return { edges };
  return { edges, resources: await readResources(client, edges) };
}

function toDependency(edge: ControllerDependencyEdge): Dependency {
  const kind = enumName(DependencyEdgeType, edge.edgeType).toLowerCase()
    .replaceAll("_", "-");
  return {
    controller: edge.controllerName,
    // The enum's names are those of the type.
    kind: kind as DependencyKind,
    namespace: edge.resourceNamespace,
    type: edge.resourceType,
    id: edge.resourceId,
  };
}

/** Reads the visible resources of all types in the edges, in their namespaces or the default one. */
async function readResources(
  client: NodeClient,
  edges: readonly Dependency[],
): Promise<readonly DependencyResource[]> {
  const known = new Map(
    (await resourceTypes(client)).map((one) =>
      [one.type, one.defaultNamespace] as const
    ),
  );
  const places = new Map<string, { namespace: string; type: string }>();
  for (const { namespace: named, type } of edges) {
    const namespace = named || (known.get(type) ?? "");
    if (namespace !== "") {
      places.set(`${namespace}/${type}`, { namespace, type });
    }
  }
  const lists = await Promise.all(
    [...places.values()].map(async (place) => {
      const answers = client.state.list({ ...place, options: {} });
      return await unlessHidden(Array.fromAsync(answers)) ?? [];
    }),
  );
  return lists.flat().flatMap(({ resource }) => {
    const { namespace, type, id, owner } = resource?.metadata ?? {};
    return namespace === undefined || type === undefined || id === undefined
      ? []
      : [{ namespace, type, id, owner: owner ?? "" }];
  });
}
