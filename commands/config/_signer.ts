import { clientConfigField } from "../../talos.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { duration, type Flag, InputProblem } from "../_kit/mod.ts";

/** Creates `--crt-ttl`, the lifetime of a certificate: a duration above zero, default 365 days. */
export function lifetimeFlag(): Flag<number> {
  const flag = duration("lifetime of the certificate", {
    initial: "8760h",
  });
  return {
    ...flag,
    parse(text, before) {
      const ms = flag.parse(text, before);
      if (ms >= 1000) return ms;
      throw new InputProblem("must be at least one second");
    },
  };
}

/**
 * Requests a key and a certificate signed by the CA of a node (`GenerateClientConfiguration`). Throws `OsctlError` if
 * the node refuses; it requires the administrator role and a control plane.
 */
export async function requestCertificate(
  client: NodeClient,
  { roles, lifetimeMs, deadlineMs }: {
    readonly roles: readonly string[];
    readonly lifetimeMs: number;
    readonly deadlineMs: number;
  },
): Promise<Readonly<Record<"crt" | "key" | "osconfig", Uint8Array>>> {
  try {
    const { messages } = await client.machine.generateClientConfiguration({
      roles: [...roles],
      crtTtl: {
        seconds: BigInt(Math.floor(lifetimeMs / 1000)),
        nanos: Math.floor(lifetimeMs % 1000) * 1_000_000,
      },
    }, { deadlineMs });
    const [answer] = messages;
    if (answer !== undefined) {
      const { crt, key, [clientConfigField]: osconfig } = answer;
      return { crt, key, osconfig };
    }
  } catch (error) {
    throw explainFailure(error);
  }
  throw new OsctlError(`Node "${client.node}" sent no client certificate`);
}

function explainFailure(error: unknown): unknown {
  if (!(error instanceof RpcError) || error.hint !== undefined) return error;
  const hint = hints[error.code];
  if (hint === undefined) return error;
  return new RpcError(error.code, error.message, { cause: error, hint });
}

const hints: Partial<Record<RpcError["code"], string>> = {
  FAILED_PRECONDITION: "Choose a control plane with --nodes",
  PERMISSION_DENIED:
    "This needs the role os:admin; choose another context with --context",
};
