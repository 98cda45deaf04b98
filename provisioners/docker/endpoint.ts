/** Locates the container engine: by the environment, a context or the default sockets. */

import { createHash } from "node:crypto";
import { exists } from "../../lib/files/exists.ts";
import { dockerFolder } from "../../config/docker_folder.ts";
import { ConfigError } from "../../errors.ts";

interface EngineTls {
  /** CA of the engine; default the system CAs. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** False to skip verification. */
  readonly verify: boolean;
}

type EngineAddress =
  | {
    readonly socketPath: string;
  }
  | {
    readonly host: string;
    readonly port: number;
    readonly tls?: EngineTls;
  };

/** Location of an engine. */
export interface EnginePlace {
  readonly address: EngineAddress;
  /** Address as a URL: `unix:///run/docker.sock`. */
  readonly text: string;
  /** Source: `DOCKER_HOST` or `context "desktop"`; absent for a default socket. */
  readonly source?: string;
}

/** Reads an environment variable. */
export type ReadVariable = (name: string) => string | undefined;

/**
 * Finds the engine, in the order of the Docker CLI: `DOCKER_HOST`, the current context, the default socket;
 * then the sockets of rootless engines and of Podman. Does not connect.
 *
 * @param env Reads an environment variable.
 * @param isThere Checks if a socket exists; default on this machine.
 * @throws {ConfigError} If an address, context or certificate is invalid, or no engine was found.
 */
export async function findEngine(
  env: ReadVariable,
  isThere: (path: string) => Promise<boolean> = exists,
): Promise<EnginePlace> {
  const host = env("DOCKER_HOST");
  if (host) return await fromVariables(host, env);
  const context = env("DOCKER_CONTEXT") || await currentContext(env);
  if (context !== undefined && context !== "default") {
    return await fromContext(context, env);
  }
  const usual = listSockets(env);
  for (const socketPath of usual) {
    if (!await isThere(socketPath)) continue;
    return { address: { socketPath }, text: `unix://${socketPath}` };
  }
  throw new ConfigError(
    `Cannot find a container engine: there is no socket at ${usual.join(", ")}`,
    {
      hint:
        "Start Docker, or Podman with: systemctl --user start podman.socket; or set DOCKER_HOST",
    },
  );
}

function listSockets(env: ReadVariable): readonly string[] {
  const [run, home] = [env("XDG_RUNTIME_DIR"), env("HOME")];
  return [
    "/var/run/docker.sock",
    ...run ? [`${run}/docker.sock`] : [],
    ...home ? [`${home}/.docker/run/docker.sock`] : [],
    ...run ? [`${run}/podman/podman.sock`] : [],
    "/run/podman/podman.sock",
  ];
}

async function fromVariables(
  host: string,
  env: ReadVariable,
): Promise<EnginePlace> {
  const source = "DOCKER_HOST";
  const folder = env("DOCKER_CERT_PATH");
  const verify = !!env("DOCKER_TLS_VERIFY");
  const tls = verify || folder
    ? { verify, ...await certificatesIn(folder ?? `${dockerFolder(env)}`) }
    : undefined;
  return { address: parseAddress(host, source, tls), text: host, source };
}

/** Parses the address of an engine. Throws ConfigError if the scheme is not supported. */
function parseAddress(
  text: string,
  source: string,
  tls: EngineTls | undefined,
): EngineAddress {
  const [, scheme = "", rest = ""] = /^(\w+):\/\/(.*)$/.exec(text) ?? [];
  if (scheme === "unix" && rest.startsWith("/")) return { socketPath: rest };
  if (scheme === "npipe") return { socketPath: rest };
  const isTcp = ["tcp", "http", "https"].includes(scheme);
  const url = isTcp ? URL.parse(`http://${rest}`) : null;
  if (url !== null && url.hostname !== "") {
    const secure = tls ?? (scheme === "https" ? { verify: true } : undefined);
    return {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port || (secure ? 2376 : 2375)),
      ...secure ? { tls: secure } : {},
    };
  }
  throw new ConfigError(`Cannot use container engine "${text}" of ${source}`, {
    hint: scheme === "ssh"
      ? "Forward its socket with ssh -L, and set DOCKER_HOST to unix:///path"
      : "Give it as unix:///path/docker.sock or tcp://host:2376",
  });
}

async function currentContext(env: ReadVariable): Promise<string | undefined> {
  const path = `${dockerFolder(env)}/config.json`;
  const config = await readJsonFile(path);
  const name = config?.currentContext;
  return typeof name === "string" && name !== "" ? name : undefined;
}

async function fromContext(
  name: string,
  env: ReadVariable,
): Promise<EnginePlace> {
  const folder = `${dockerFolder(env)}/contexts`;
  const hash = createHash("sha256").update(name).digest("hex");
  const path = `${folder}/meta/${hash}/meta.json`;
  const meta = await readJsonFile(path);
  const source = `context "${name}"`;
  const docker = readField(readField(meta, "Endpoints"), "docker");
  const host = readField(docker, "Host");
  if (typeof host !== "string") {
    throw new ConfigError(
      `Cannot use container engine of ${source}: ${
        meta === undefined ? `"${path}" does not exist` : "it has no address"
      }`,
      { hint: "List contexts with: docker context ls; or set DOCKER_HOST" },
    );
  }
  const verify = readField(docker, "SkipTLSVerify") !== true;
  const files = await certificatesIn(`${folder}/tls/${hash}/docker`);
  const isSecure = !verify || Object.keys(files).length > 0;
  const tls = isSecure ? { verify, ...files } : undefined;
  return { address: parseAddress(host, source, tls), text: host, source };
}

function readField(value: unknown, name: string): unknown {
  return value instanceof Object
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

async function certificatesIn(
  folder: string,
): Promise<Omit<EngineTls, "verify">> {
  const names = ["ca", "cert", "key"] as const;
  const found = await Promise.all(names.map(async (name) => {
    const text = await readIfThere(`${folder}/${name}.pem`);
    return text === undefined ? [] : [[name, text] as const];
  }));
  return Object.fromEntries(found.flat());
}

async function readJsonFile(
  path: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (value instanceof Object) return { ...value };
  } catch (cause) {
    throw new ConfigError(`Cannot read "${path}": it is not valid JSON`, {
      cause,
    });
  }
  throw new ConfigError(`Cannot read "${path}": it is not a JSON object`);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new ConfigError(`Cannot read "${path}"`, { cause: error });
  }
}
