import { type RpcCode, RpcError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { parseSpec } from "./resource_yaml.ts";

/** Place of a resource on any node. */
export interface ResourcePlace {
  /** Namespace: `runtime`. */
  readonly namespace: string;
  /** Full type: `Disks.block.` with the domain. */
  readonly type: string;
  readonly id: string;
}

/** Fields of a spec by name, not validated. */
export type Spec = Readonly<Record<string, unknown>>;

/** Timeout for each request, in milliseconds. */
const deadlineMs = 10_000;

/** Codes for an unknown resource, an unknown type or missing permissions. */
const hidden: ReadonlySet<RpcCode> = new Set([
  "NOT_FOUND",
  "PERMISSION_DENIED",
  "UNIMPLEMENTED",
]);

/** Reads one resource. Returns `undefined` if it does not exist, or access is denied. */
export async function readSpec(
  { state }: Pick<NodeClient, "state">,
  place: ResourcePlace,
): Promise<Spec | undefined> {
  const answer = state.get({ ...place, options: {} }, { deadlineMs });
  const found = await unlessHidden(answer);
  return found && readFields(parseSpec(found.resource?.spec?.yamlSpec ?? ""));
}

/** Reads all resources of a type. Returns specs by name; `undefined` if access is denied. */
export async function readSpecs(
  { state }: Pick<NodeClient, "state">,
  place: Omit<ResourcePlace, "id">,
): Promise<ReadonlyMap<string, Spec> | undefined> {
  const answers = state.list({ ...place, options: {} }, { deadlineMs });
  const all = await unlessHidden(Array.fromAsync(answers));
  return all && new Map(all.map(({ resource }) => [
    resource?.metadata?.id ?? "",
    readFields(parseSpec(resource?.spec?.yamlSpec ?? "")),
  ]));
}

/** Awaits a reply; `undefined` if the resource does not exist, or access is denied. */
export async function unlessHidden<T>(
  answer: Promise<T>,
): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcError && hidden.has(error.code)) return undefined;
    throw error;
  }
}

/** Returns the fields of an object in a spec; empty if it is not an object. */
export function readFields(value: unknown): Spec {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
