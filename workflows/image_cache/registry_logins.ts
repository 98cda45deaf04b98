/** Logins for registries, as docker keeps them: in its configuration, or in a credential helper that it names. */

import { dockerFolder } from "../../config/docker_folder.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { OsctlError, UsageError } from "../../errors.ts";

/** How a registry knows the user. */
export type RegistryLogin =
  /** Name and password as in HTTP: `name:password` in base64. */
  | { readonly kind: "basic"; readonly basic: string }
  /** A token that is exchanged for others (OAuth 2.0 refresh token). */
  | { readonly kind: "refresh-token"; readonly token: string };

/** Finds the login for a host: `ghcr.io`; `undefined` if there is none. */
export type FindLogin = (host: string) => Promise<RegistryLogin | undefined>;

interface DockerConfig {
  readonly auths?: Readonly<
    Record<string, { readonly auth?: string; readonly identitytoken?: string }>
  >;
  readonly credHelpers?: Readonly<Record<string, string>>;
  readonly credsStore?: string;
}

interface LoginPlace {
  /** `config.json` of docker; one that does not exist has no logins. */
  readonly path: string;
  /** Folders with programs, as in the environment variable PATH; default that of this process. */
  readonly programs?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads the configuration of docker; helpers are run when their login is needed.
 *
 * @throws {UsageError} If the file is not JSON.
 */
export async function dockerLogins(place: LoginPlace): Promise<FindLogin> {
  const { path } = place;
  const expected = "a Docker configuration";
  const content = await readBoundedText({ path, limitMib: 1, expected });
  const config = parsed(content ?? "{}", path);
  return async (host) => {
    const names = listNames(host);
    const known = names.find((name) => config.credHelpers?.[name]);
    const helper = known === undefined
      ? config.credsStore
      : config.credHelpers?.[known];
    if (helper) {
      // Where the helper is for all hosts, docker itself asks by the name it logged in with.
      const name = known ?? names.find((one) => config.auths?.[one]) ??
        names[0];
      const login = await askHelper(helper, name ?? host, place);
      if (login !== undefined) return login;
    }
    const auth = names.map((name) => config.auths?.[name])
      .find((one) => one?.auth || one?.identitytoken);
    if (auth?.identitytoken) {
      return { kind: "refresh-token", token: auth.identitytoken };
    }
    return auth?.auth ? { kind: "basic", basic: auth.auth } : undefined;
  };
}

/** Logins of this user: those in `config.json` of the folder that `DOCKER_CONFIG` names, or of `~/.docker`. */
export function userLogins(
  env: (name: string) => string | undefined,
  signal: AbortSignal,
): Promise<FindLogin> {
  const path = `${dockerFolder(env)}/config.json`;
  return dockerLogins({ path, programs: env("PATH"), signal });
}

function parsed(content: string, path: string): DockerConfig {
  try {
    return Object(JSON.parse(content));
  } catch {
    throw new UsageError(`Cannot read "${path}": it is not JSON`);
  }
}

/** Names under which a host may be listed. */
function listNames(host: string): readonly string[] {
  return host === "registry-1.docker.io"
    ? ["https://index.docker.io/v1/", "docker.io", host, `https://${host}`]
    : [host, `https://${host}`];
}

/** What helpers say, on standard output and with status 1, if they do not know a registry. */
const unknown = /credentials not found|no credentials server URL/i;

/** What helpers give as the name if the secret is a token. */
const tokenName = "<token>";

/** Asks a helper (docker-credential-helpers, command `get`). */
async function askHelper(
  helper: string,
  server: string,
  place: LoginPlace,
): Promise<RegistryLogin | undefined> {
  const { path, signal } = place;
  const program = `docker-credential-${helper}`;
  if (!/^[\w.-]+$/.test(helper)) {
    throw new UsageError(
      `Cannot use credential helper "${helper}" in "${path}": it must be a name such as "pass"`,
    );
  }
  const { success, stdout, stderr } = await runHelper(program, server, place)
    .catch((cause) => {
      signal.throwIfAborted();
      const isMissing = cause instanceof Deno.errors.NotFound;
      throw new OsctlError(
        `Cannot run "${program}" for the login of ${server}: ${
          isMissing ? "it is not on the PATH" : cause.message
        }`,
        { cause, hint: `It is the credential helper in "${path}"` },
      );
    });
  const decoder = new TextDecoder();
  const said = decoder.decode(stdout).trim();
  if (!success) {
    if (unknown.test(said)) return undefined;
    const why = (decoder.decode(stderr).trim() || said).slice(0, 300);
    throw new OsctlError(`${program} has no login for ${server}: ${why}`);
  }
  return loginIn(said, program);
}

async function runHelper(
  program: string,
  server: string,
  { programs, signal }: LoginPlace,
): Promise<Deno.CommandOutput> {
  const child = new Deno.Command(program, {
    args: ["get"],
    ...programs !== undefined && { env: { PATH: programs } },
    ...{ stdin: "piped", stdout: "piped", stderr: "piped" },
    signal,
  }).spawn();
  const output = child.output();
  const writer = child.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(`${server}\n`));
    await writer.close();
  } catch {
    // It has ended without reading; its status says why.
  }
  return await output;
}

function loginIn(said: string, program: string): RegistryLogin {
  try {
    const { Username, Secret } = JSON.parse(said);
    if (typeof Username !== "string" || typeof Secret !== "string") throw said;
    if (Username === tokenName) return { kind: "refresh-token", token: Secret };
    const basic = new TextEncoder().encode(`${Username}:${Secret}`).toBase64();
    return { kind: "basic", basic };
  } catch {
    // What it said may be a secret.
    throw new OsctlError(`${program} did not return a login`);
  }
}
