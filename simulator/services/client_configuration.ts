/** Client configurations from a node. */

import { stringify } from "yaml";
import { clientConfigField } from "../../talos.ts";
import { RpcError } from "../../errors.ts";
import type { MachineHandlers } from "./handlers.ts";
import { clientCredentials } from "../state/identities.ts";
import { toMilliseconds } from "../wire/timestamp.ts";

/** `GenerateClientConfiguration`; `GenerateConfiguration` served only the installer that was removed with v1.13. */
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
};

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
