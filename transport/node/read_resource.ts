/** Resources of a node, as plain records. */

import { type RpcCode, RpcError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { parseSpec } from "./resource_yaml.ts";

/** Where a resource is. */
export interface ResourcePlace {
  /** Namespace: `runtime`. */
  readonly namespace: string;
  /** Full type: `Disks.block.` and the domain. */
  readonly type: string;
  /** Name. */
  readonly id: string;
}

/** Fields of a spec by name; nothing is checked. */
export type Spec = Readonly<Record<string, unknown>>;

/** Longest time for one answer, in milliseconds. */
const deadlineMs = 10_000;

/** The node has no such resource, has no such type, or does not show it to this caller. */
const silences: ReadonlySet<RpcCode> = new Set([
  "NOT_FOUND",
  "PERMISSION_DENIED",
  "UNIMPLEMENTED",
]);

/**
 * Reads one resource.
 *
 * @returns `undefined` when the node has none, or does not show it.
 */
export async function readSpec(
  { state }: Pick<NodeClient, "state">,
  place: ResourcePlace,
): Promise<Spec | undefined> {
  try {
    const { resource } = await state.get({ ...place, options: {} }, {
      deadlineMs,
    });
    return recordOf(parseSpec(resource?.spec?.yamlSpec ?? ""));
  } catch (error) {
    if (isSilence(error)) return undefined;
    throw error;
  }
}

/**
 * Reads all resources of a type.
 *
 * @returns Specs by name; `undefined` when the node does not show them.
 */
export async function readSpecs(
  { state }: Pick<NodeClient, "state">,
  place: Omit<ResourcePlace, "id">,
): Promise<ReadonlyMap<string, Spec> | undefined> {
  const found = new Map<string, Spec>();
  try {
    const answers = state.list({ ...place, options: {} }, { deadlineMs });
    for await (const { resource } of answers) {
      const spec = recordOf(parseSpec(resource?.spec?.yamlSpec ?? ""));
      found.set(resource?.metadata?.id ?? "", spec);
    }
    return found;
  } catch (error) {
    if (isSilence(error)) return undefined;
    throw error;
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof RpcError && silences.has(error.code);
}

function recordOf(value: unknown): Spec {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
