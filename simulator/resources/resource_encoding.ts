import { stringify } from "yaml";
import {
  Resource as Encoded,
  type Spec,
} from "../../transport/gen/cosi_resource.ts";
import { encodeSpec } from "./spec_message.ts";
import type { StoredResource } from "./resources.ts";
import { toTimestamp } from "../wire/timestamp.ts";

/** Encodes a resource, with its spec as YAML and protobuf. Version 0 means that the resource does not exist. */
export function encodeResource(resource: StoredResource): Encoded {
  return Encoded.fromPartial({
    metadata: {
      namespace: resource.namespace,
      type: resource.type,
      id: resource.id,
      version: resource.version === 0 ? "undefined" : String(resource.version),
      owner: resource.owner ?? "",
      phase: "running",
      created: toTimestamp(resource.created),
      updated: toTimestamp(resource.updated),
      labels: { ...resource.labels },
      annotations: { ...resource.annotations },
    },
    spec: resource.spec === undefined
      ? { yamlSpec: "" }
      : decodeSpec(resource.type, resource.spec),
  });
}

const written = new WeakMap<object, Spec>();

function decodeSpec(type: string, spec: unknown): Spec {
  const known = spec instanceof Object ? written.get(spec) : undefined;
  if (known !== undefined) return known;
  const both = { yamlSpec: write(spec), protoSpec: encodeSpec(type, spec) };
  if (spec instanceof Object) written.set(spec, both);
  return both;
}

const blocks = new Map<string, string>();

function write(spec: unknown): string {
  if (typeof spec !== "string") return stringify(spec, style);
  const block = blocks.get(spec) ?? formatBlock(spec);
  if (blocks.size > 1_000) blocks.clear();
  blocks.set(spec, block);
  return block;
}

/** Formats text as an indented block, like the values of a map. */
function formatBlock(text: string): string {
  return stringify({ k: text }, style).slice("k: ".length);
}

const style = { indent: 4, lineWidth: 0, aliasDuplicateObjects: false };
