/** Registry logins of docker: from its configuration, or a credential helper that it names. */

import { dockerFolder } from "../../config/docker_folder.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { OsctlError, UsageError } from "../../errors.ts";

/** Credentials of a registry. */
export type RegistryLogin =
  /** HTTP basic authentication: `name:password` in base64. */
  | { readonly kind: "basic"; readonly basic: string }
  /** An OAuth 2.0 refresh token. */
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
  /** docker's `config.json`; a missing file has no logins. */
  readonly path: string;
  /** Folders with executables, formatted like `PATH`; default that of this process. */
  readonly programs?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads docker's configuration; credential helpers run on demand.
 *
 * @throws {UsageError} If the file is not JSON.
 */
export async function dockerLogins(place: LoginPlace): Promise<FindLogin> {
  const { path } = place;
  const expected = "a Docker configuration";
  const content = await readBoundedText({ path, limitMib: 1, expected });
  const config = parseDockerConfig(content ?? "{}", path);
  return async (host) => {
    const names = listNames(host);
    const known = names.find((name) => config.credHelpers?.[name]);
    const helper = known === undefined
      ? config.credsStore
      : config.credHelpers?.[known];
    if (helper) {
      // With a helper for all hosts, docker asks it by the name used at login.
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

/** Logins of this user: from `config.json` in `DOCKER_CONFIG`, or in `~/.docker`. */
export function userLogins(
  env: (name: string) => string | undefined,
  signal: AbortSignal,
): Promise<FindLogin> {
  const path = `${dockerFolder(env)}/config.json`;
  return dockerLogins({ path, programs: env("PATH"), signal });
}

function parseDockerConfig(content: string, path: string): DockerConfig {
  try {
    return Object(JSON.parse(content));
  } catch {
    throw new UsageError(`Cannot read "${path}": it is not JSON`);
  }
}

/** Names a host may be listed by. */
function listNames(host: string): readonly string[] {
  return host === "registry-1.docker.io"
    ? ["https://index.docker.io/v1/", "docker.io", host, `https://${host}`]
    : [host, `https://${host}`];
}

/** Output of helpers, on stdout with status 1, for an unknown registry. */
const unknown = /credentials not found|no credentials server URL/i;

/** User name in the output of helpers if the secret is a token. */
const tokenName = "<token>";

/** Runs a credential helper (docker-credential-helpers, command `get`). */
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
    // Its output may contain a secret.
    throw new OsctlError(`${program} did not return a login`);
  }
}
