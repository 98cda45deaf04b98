import { type RpcCode, RpcError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { parseSpec } from "./resource_yaml.ts";

interface ResourcePlace {
  /** Namespace: `runtime`. */
  readonly namespace: string;
  /** Full type: `Disks.block.` and the domain. */
  readonly type: string;
  readonly id: string;
}

/** Fields of a spec by name; nothing is checked. */
export type Spec = Readonly<Record<string, unknown>>;

/** Longest time for one answer, in milliseconds. */
const deadlineMs = 10_000;

/** The node has no such resource, has no such type, or does not show it to this caller. */
const hidden: ReadonlySet<RpcCode> = new Set([
  "NOT_FOUND",
  "PERMISSION_DENIED",
  "UNIMPLEMENTED",
]);

/** Reads one resource. Returns `undefined` when the node has none, or does not show it. */
export async function readSpec(
  { state }: Pick<NodeClient, "state">,
  place: ResourcePlace,
): Promise<Spec | undefined> {
  const answer = state.get({ ...place, options: {} }, { deadlineMs });
  const found = await unlessHidden(answer);
  return found && readFields(parseSpec(found.resource?.spec?.yamlSpec ?? ""));
}

/** Reads all resources of a type. Returns specs by name; `undefined` when the node does not show them. */
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

/** Waits for an answer; `undefined` when the node does not have what is asked for, or does not show it. */
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

/** Fields of a part of a spec; none where there are none. */
export function readFields(value: unknown): Spec {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
