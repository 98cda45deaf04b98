/** Generation of configurations: `GenerateClientConfiguration` and `GenerateConfiguration`. */

import { stringify } from "yaml";
import { encodeDocuments } from "../../config/documents/encode.ts";
import { renderAdminOsconfig } from "../../config/generate/client.ts";
import { parseContract } from "../../config/generate/contract.ts";
import { machineConfig as generate } from "../../config/generate/machine_config.ts";
import { secretsFromConfig } from "../../config/generate/secrets_file.ts";
import { applyPatches, readPatch } from "../../config/patch.ts";
import { clientConfigField } from "../../talos.ts";
import { RpcError } from "../../errors.ts";
import type { MachineHandlers } from "./handlers.ts";
import type { NetworkConfig } from "../../transport/gen/machine.ts";
import { machineConfig } from "../state/machine_config.ts";
import { clientCredentials } from "../state/identities.ts";
import { toMilliseconds } from "../wire/timestamp.ts";

/** `GenerateClientConfiguration` and `GenerateConfiguration`. */
export const clientConfiguration: MachineHandlers = {
  async generateClientConfiguration({ roles: asked, crtTtl }, { node }) {
    if (node.identity.machineType === "worker") {
      throw new RpcError(
        "FAILED_PRECONDITION",
        `client configuration (${clientConfigField}) can't be generated on worker nodes`,
      );
    }
    const lifetimeMs = crtTtl ? toMilliseconds(crtTtl) : 0;
    if (lifetimeMs <= 0) {
      throw new RpcError("INVALID_ARGUMENT", "crt_ttl should be positive");
    }
    const { trust: { issuer }, cluster: { name } } = node;
    if (issuer === undefined) throw new RpcError("INTERNAL", "no CA key");
    const roles = [...new Set(asked.map((role) => role.trim()))].filter(Boolean)
      .sort();
    const now = node.clock.now();
    const identity = await clientCredentials(issuer, roles, {
      notBefore: new Date(now),
      notAfter: new Date(now + lifetimeMs),
    });
    const [only, ...others] = roles;
    const context = only !== undefined && others.length === 0
      ? `${only.replace(/^os:/, "")}@${name}`
      : name;
    const encode = (text: string) => new TextEncoder().encode(text);
    return {
      messages: [{
        ca: encode(identity.ca),
        crt: encode(identity.crt),
        key: encode(identity.key),
        [clientConfigField]: encode(renderConfig(context, identity)),
      }],
    };
  },
  async generateConfiguration(request, { node }) {
    if (node.identity.machineType === "worker") {
      throw new RpcError(
        "UNKNOWN",
        "config can't be generated on worker nodes",
      );
    }
    const { clusterConfig: cluster, machineConfig: machine } = request;
    if (!machine || !cluster?.controlPlane) {
      throw new RpcError("UNKNOWN", "invalid generate request");
    }
    if (request.configVersion !== "v1alpha1") {
      throw new RpcError(
        "UNKNOWN",
        `unsupported config version ${request.configVersion}`,
      );
    }
    const text = machineConfig(node);
    const secrets = await secretsFromConfig(text, "config.yaml");
    const { name: clusterName, controlPlane: { endpoint } } = cluster;
    const { installDisk, installImage } = machine.installConfig ?? {};
    const { dnsDomain, cniConfig } = cluster.clusterNetwork ?? {};
    const documents = generate({
      clusterName,
      endpoint,
      contract: parseContract("v1.11"),
      secrets,
      kubernetesVersion: machine.kubernetesVersion,
      ...(installDisk ? { installDisk } : {}),
      ...(installImage ? { installImage } : {}),
      ...(dnsDomain ? { dnsDomain } : {}),
    }, generatedRoles[machine.type]);
    const patch = JSON.stringify({
      machine: { network: toNetwork(machine.networkConfig) },
      cluster: {
        ...(cniConfig ? { network: { cni: cniConfig } } : {}),
        ...(cluster.allowSchedulingOnControlPlanes
          ? { allowSchedulingOnControlPlanes: true }
          : {}),
      },
    });
    const patched = applyPatches(documents, [readPatch(patch, "request")]);
    const now = new Date(
      request.overrideTime
        ? toMilliseconds(request.overrideTime)
        : node.clock.now(),
    );
    const client = await renderAdminOsconfig({
      clusterName,
      secrets,
      now,
      endpoints: [new URL(endpoint).hostname],
    });
    const encode = (content: string) => new TextEncoder().encode(content);
    return {
      messages: [{
        data: [encode(encodeDocuments(patched.documents))],
        [clientConfigField]: encode(client),
      }],
    };
  },
};

const generatedRoles = ["worker", "init", "controlplane", "worker"] as const;

/** Converts the network settings of a request to those of a configuration. */
function toNetwork({ hostname, interfaces }: Partial<NetworkConfig> = {}) {
  return {
    ...(hostname ? { hostname } : {}),
    ...(interfaces?.length
      ? {
        interfaces: interfaces.map(({ dhcpOptions, cidr, mtu, ...device }) => ({
          ...device,
          ...(cidr ? { addresses: [cidr] } : {}),
          ...(mtu ? { mtu } : {}),
          ...(dhcpOptions ? { dhcpOptions } : {}),
        })),
      }
      : {}),
  };
}

/** Renders a client configuration with one context. */
function renderConfig(
  context: string,
  identity: Awaited<ReturnType<typeof clientCredentials>>,
): string {
  const base64 = (text: string) => new TextEncoder().encode(text).toBase64();
  return stringify({
    context,
    contexts: {
      [context]: {
        endpoints: [],
        ca: base64(identity.ca),
        crt: base64(identity.crt),
        key: base64(identity.key),
      },
    },
  }, { indent: 4, lineWidth: 0 });
}
