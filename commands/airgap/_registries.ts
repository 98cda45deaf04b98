/** Access to registries for the commands of this folder. */

import { readBoundedText } from "../../config/files/bounded_file.ts";
import { ConfigError } from "../../errors.ts";
import {
  type Registry,
  registryClient,
} from "../../workflows/image_cache/registry.ts";
import { dockerLogins } from "../../workflows/image_cache/registry_logins.ts";
import { type Context, text, toggle, type Values } from "../_kit/mod.ts";

/** Flags that say how registries are reached. */
export const registryInputs = {
  caFile: text(
    "CA certificates of registries, PEM, beside those of the system",
    {
      complete: "files",
    },
  ),
  insecure: toggle("allow plain HTTP for registries without TLS"),
};

/** Access that is closed at the end. */
export interface OpenRegistries extends Disposable {
  /** Access to any registry. */
  readonly registry: Registry;
}

/**
 * Opens access to registries; nothing is sent.
 *
 * @throws {ConfigError} If the file of the CAs or that of the logins cannot be read.
 */
export async function openRegistries(
  { input, environment, signal }: Context<Values<typeof registryInputs>>,
): Promise<OpenRegistries> {
  const { env } = environment;
  const folder = env("DOCKER_CONFIG") ?? `${env("HOME") ?? ""}/.docker`;
  const login = await dockerLogins({
    path: `${folder}/config.json`,
    programs: env("PATH"),
    signal,
  });
  const client = input.caFile === undefined
    ? undefined
    : Deno.createHttpClient({ caCerts: await certificates(input.caFile) });
  return {
    registry: registryClient({
      insecure: input.insecure,
      login,
      signal,
      ...client !== undefined && { client },
    }),
    [Symbol.dispose]: () => client?.close(),
  };
}

async function certificates(path: string): Promise<string[]> {
  const expected = "CA certificates";
  const text = await readBoundedText({ path, limitMib: 1, expected }) ?? "";
  const found = text.match(
    /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g,
  );
  if (found !== null) return [...found];
  throw new ConfigError(`"${path}" holds no certificate`, {
    hint: "Give the CA certificates of the registry as PEM",
  });
}
