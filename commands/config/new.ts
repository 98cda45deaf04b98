import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import type { Osconfig } from "../../config/osconfig/osconfig.ts";
import {
  parseOsconfig,
  renderOsconfig,
} from "../../config/osconfig/osconfig_file.ts";
import { ConfigError, OsctlError, UsageError } from "../../errors.ts";
import { parseRoles, type Role } from "../../pki/roles.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { exists } from "../../lib/files/exists.ts";
import {
  bytes,
  type Command,
  type Context,
  optionalWord,
  strings,
  type Values,
} from "../_kit/mod.ts";
import { isStandardStream } from "../_kit/output_file.ts";
import { chosenContext, withContext } from "../_session/osconfig.ts";
import { lifetimeFlag, requestCertificate } from "./_signer.ts";

const inputs = {
  path: optionalWord("file to write; - for standard output; default osconfig", {
    complete: "files",
    dash: true,
  }),
  roles: strings("roles of the new client", { initial: ["os:admin"] }),
  crtTtl: lifetimeFlag(),
};

type NewInputs = Values<typeof inputs>;

export const command = {
  summary: "Generate a new client configuration file",
  description:
    `A control plane issues the key and certificate; the new file gets the endpoints in use. The context needs the role
os:admin. An existing file is never overwritten.`,
  inputs,
  examples: [
    "config new",
    "config new reader.osconfig --roles os:reader --crt-ttl 24h",
  ],
  output: "own",
  view: bytes(),
  discloses: ({ path }) => path === "-",
  async *run(context) {
    const { input, globals, note } = context;
    const { path = "osconfig" } = input;
    const signer = await openSigner(context);
    const roles = decodeRoles(input);
    const isStream = isStandardStream(path);
    if (!isStream && await exists(path)) throw existsError(path);
    const { osconfig } = await requestCertificate(signer.client, {
      roles,
      lifetimeMs: input.crtTtl,
      deadlineMs: globals.nodeTimeout,
    });
    const config = await withEndpoints(osconfig, signer);
    const text = await renderOsconfig(config);
    if (isStream) {
      yield new TextEncoder().encode(text);
      return;
    }
    await writeFileAtomic(path, text, { overwrite: false });
    note(`wrote context "${config.current}" to "${path}"`);
  },
} satisfies Command<Uint8Array, NewInputs>;

function decodeRoles({ roles }: NewInputs): readonly Role[] {
  const known = parseRoles(roles);
  if (known.length > 0) return known;
  throw new UsageError("Flag --roles is empty", {
    hint: "Omit it for os:admin",
  });
}

interface Signer {
  readonly client: NodeClient;
  readonly endpoints: readonly string[];
}

/** Any control plane can sign, so without nodes the endpoint does. */
async function openSigner(
  { nodes, globals, environment }: Context<NewInputs>,
): Promise<Signer> {
  const context = await chosenContext({ globals, environment });
  const named = globals.nodes.length + context.nodes.length > 0;
  return {
    client: named ? await nodes.only("config new") : await nodes.endpoint(),
    endpoints: globals.endpoints.length > 0
      ? globals.endpoints
      : context.endpoints,
  };
}

async function withEndpoints(
  bytes: Uint8Array,
  { client, endpoints }: Signer,
): Promise<Osconfig> {
  const text = new TextDecoder().decode(bytes);
  const config = await parseOsconfig(text, `answer of node ${client.node}`);
  const context = config.contexts.get(config.current);
  if (context === undefined) {
    throw new OsctlError(
      `Node "${client.node}" sent a client configuration without a current context`,
    );
  }
  return withContext(config, config.current, { ...context, endpoints });
}

function existsError(path: string): ConfigError {
  return new ConfigError(`Cannot write "${path}": it already exists`, {
    hint: "Choose another path, or remove it first",
  });
}
