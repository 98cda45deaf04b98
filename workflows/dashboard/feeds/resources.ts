/** Resources of a node, and their changes. */

import { domain } from "../../../talos.ts";
import type { Resource } from "../../../transport/gen/cosi_resource.ts";
import { parseSpec } from "../../../transport/node/resource_yaml.ts";
import {
  readFields,
  type Spec,
} from "../../../transport/node/read_resource.ts";
import {
  type ResourceType,
  resourceTypes,
} from "../../../transport/node/resource_types.ts";
import {
  watchResources,
  type WatchTarget,
} from "../../../transport/stream/watch_resources.ts";
import { type DashboardData, deadlineMs, type Feed } from "../feed.ts";

/** Resources by id; changes in place. */
export type ResourceMap = ReadonlyMap<string, Resource>;

const feeds = new Map<string, Feed<ResourceMap>>();

/** Watches resources. `type`: full, or without the domain: `LinkStatuses.net`. */
export function resources(
  namespace: string,
  type: string,
  id?: string,
): Feed<ResourceMap> {
  const target = {
    namespace,
    type: type.endsWith(`.${domain}`) || type.endsWith(".cosi.dev")
      ? type
      : `${type}.${domain}`,
    id,
  };
  const name = `resources ${namespace}/${target.type}/${id ?? ""}`;
  const feed = feeds.get(name) ?? watchFeed(name, target);
  feeds.set(name, feed);
  return feed;
}

function watchFeed(name: string, target: WatchTarget): Feed<ResourceMap> {
  return {
    name,
    isLarge: true,
    async *open({ client, signal, lost }) {
      const known = new Map<string, Resource>();
      // The list may be empty.
      yield known;
      // No checks: after a reboot the node refuses to resume the watch.
      const options = { signal, lost, checkMs: 0 };
      for await (const seen of watchResources(client, target, options)) {
        if (seen.kind === "item") {
          const { event, resource } = seen.item;
          const id = resource.metadata?.id ?? "";
          if (event === "destroyed") known.delete(id);
          else known.set(id, resource);
        }
        yield known;
      }
    },
  };
}

/** Types of resources a node has, by name. */
export const types: Feed<readonly ResourceType[]> = {
  name: "types",
  isLarge: true,
  async *open({ client, signal }) {
    const all = await resourceTypes(client, { deadlineMs });
    yield all.sort((a, b) => a.displayType < b.displayType ? -1 : 1);
    // They only change when the node reboots.
    await new Promise<void>((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true })
    );
  },
};

const specs = new WeakMap<Resource, unknown>();

/** The spec of a resource; cached. */
export function readSpec(resource: Resource): unknown {
  if (!specs.has(resource)) {
    specs.set(resource, parseSpec(resource.spec?.yamlSpec ?? ""));
  }
  return specs.get(resource);
}

/** Specs of all resources of a feed, by id; empty before its first value. */
export function specsIn(
  data: DashboardData,
  node: string,
  feed: Feed<ResourceMap>,
): ReadonlyMap<string, Spec> {
  const known = data.of(node, feed).value ?? new Map<string, Resource>();
  return new Map(
    [...known].map(([id, resource]) => [id, readFields(readSpec(resource))]),
  );
}
