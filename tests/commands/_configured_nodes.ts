/** Fake nodes that have a configuration and take others. */

import {
  generateSecrets,
  type SecretsBundle,
} from "../../config/generate/secrets.ts";
import { defaultContract } from "../../config/generate/contract.ts";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { RpcError } from "../../errors.ts";
import { clusterDocuments } from "../../simulator/state/machine_config.ts";
import type { MachineType } from "../../simulator/state/node_identity.ts";
import type { FakeNode, Handler } from "../_fake.ts";
import { yamlSpecAnnotation } from "../../talos.ts";

let made: Promise<SecretsBundle> | undefined;

/** Configuration of a node of a cluster that all tests share. */
export async function configurationFor(
  role: MachineType,
  secrets?: SecretsBundle,
): Promise<string> {
  return encodeDocuments(clusterDocuments({
    name: "demo",
    address: "10.0.0.2",
    secrets: secrets ?? await (made ??= secretsNow()),
    kubernetes: "1.34.1",
    tag: "v1.12.0",
  }, role));
}

/** Secrets of a cluster. */
export function secretsNow(): Promise<SecretsBundle> {
  const now = new Date("2026-01-01T00:00:00Z");
  return generateSecrets({ contract: defaultContract, now });
}

/** A node, and what it was sent. */
export interface Configured {
  readonly handlers: FakeNode;
  /** Requests of `ApplyConfiguration`, in words: `auto`, `try`, `no-reboot`. */
  readonly sent: string[];
  /** The configuration it runs with. */
  active: string;
  /** The configuration it finds at its next boot. */
  saved: string;
}

const modes = ["reboot", "auto", "no-reboot", "staged", "try"];

export interface ConfiguredOptions {
  /** Version, default v1.12.3. */
  readonly tag?: string;
  readonly others?: FakeNode;
  /** Called behind each configuration that was taken; may raise. */
  readonly taken?: (node: Configured, mode: string) => void;
}

/**
 * Makes a node.
 *
 * @param text Its configuration.
 * @param options How it behaves.
 */
export function configure(
  text: string,
  { tag = "v1.12.3", others = {}, taken }: ConfiguredOptions = {},
): Configured {
  const get: Handler = ({ type, id }: { type: string; id: string }) => {
    if (type.startsWith("PlatformMetadatas")) {
      return { resource: { spec: { yamlSpec: "platform: metal\n" } } };
    }
    if (!type.startsWith("MachineConfigs")) {
      throw new RpcError("NOT_FOUND", `no ${type}`);
    }
    const spec = id === "persistent" ? node.saved : node.active;
    return {
      resource: {
        metadata: { type, id, annotations: { [yamlSpecAnnotation]: "1" } },
        spec: { yamlSpec: JSON.stringify(spec) },
      },
    };
  };
  const node: Configured = {
    active: text,
    saved: text,
    sent: [],
    handlers: {
      get,
      version: () => ({ messages: [{ version: { tag } }] }),
      applyConfiguration({ data, mode }: { data: Uint8Array; mode: number }) {
        const name = modes[mode] ?? "";
        const text = new TextDecoder().decode(data);
        node.sent.push(name);
        if (name !== "staged") node.active = text;
        if (name !== "try") node.saved = text;
        taken?.(node, name);
        return {
          messages: [{
            mode: name === "auto" ? 2 : mode,
            modeDetails: "Applied configuration without a reboot",
          }],
        };
      },
      ...others,
    },
  };
  return node;
}

/** The handlers without the one that takes configurations: a test fails when one is sent. */
export function withoutApply({ handlers }: Configured): FakeNode {
  const { applyConfiguration: _, ...others } = handlers;
  return others;
}
