import { stringify } from "yaml";
import {
  Resource as Encoded,
  type Spec,
} from "../../transport/gen/cosi_resource.ts";
import { protoSpecOf } from "./spec_message.ts";
import type { StoredResource } from "./resources.ts";
import { timestampOf } from "../wire/timestamp.ts";

/** Encodes a resource; its spec becomes YAML and a message. Version 0 stands for a resource that does not exist. */
export function encodeResource(resource: StoredResource): Encoded {
  return Encoded.fromPartial({
    metadata: {
      namespace: resource.namespace,
      type: resource.type,
      id: resource.id,
      version: resource.version === 0 ? "undefined" : String(resource.version),
      owner: resource.owner ?? "",
      phase: "running",
      created: timestampOf(resource.created),
      updated: timestampOf(resource.updated),
      labels: { ...resource.labels },
      annotations: { ...resource.annotations },
    },
    spec: resource.spec === undefined
      ? { yamlSpec: "" }
      : specOf(resource.type, resource.spec),
  });
}

const written = new WeakMap<object, Spec>();

function specOf(type: string, spec: unknown): Spec {
  const known = spec instanceof Object ? written.get(spec) : undefined;
  if (known !== undefined) return known;
  const both = { yamlSpec: write(spec), protoSpec: protoSpecOf(type, spec) };
  if (spec instanceof Object) written.set(spec, both);
  return both;
}

const blocks = new Map<string, string>();

function write(spec: unknown): string {
  if (typeof spec !== "string") return stringify(spec, style);
  const block = blocks.get(spec) ?? blockOf(spec);
  if (blocks.size > 1_000) blocks.clear();
  blocks.set(spec, block);
  return block;
}

/** Text is in a block that is indented, as the values of a map are. */
function blockOf(text: string): string {
  return stringify({ k: text }, style).slice("k: ".length);
}

const style = { indent: 4, lineWidth: 0, aliasDuplicateObjects: false };
