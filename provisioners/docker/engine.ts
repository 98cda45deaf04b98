/** The container engine: its API, and what its errors mean. */

import { isOlderMinor } from "../../lib/version.ts";
import { urlHost } from "../../lib/ip.ts";
import { Agent } from "node:https";
// @ts-types="@types/dockerode"
import Docker from "dockerode";
import { ConfigError, OsctlError } from "../../errors.ts";
import { type EnginePlace, findEngine, type ReadVariable } from "./endpoint.ts";

/** An engine that answered. */
export interface ContainerEngine {
  readonly api: Docker;
  readonly place: EnginePlace;
  readonly facts: EngineFacts;
}

interface EngineFacts {
  readonly version: string;
  readonly api: string;
  readonly isPodman: boolean;
  /** True when it runs without the rights of root. */
  readonly isRootless: boolean;
  /** False when it does not limit memory and processors of containers. */
  readonly canLimit: boolean;
  /** False when it lacks the program that connects containers to a network without root. */
  readonly canConnect: boolean;
  /** `1` or `2`; empty when it does not say. */
  readonly cgroups: string;
  readonly processors: number;
  /** Memory of its machine in bytes. */
  readonly memory: number;
  /** `linux` or `windows`: what its containers run on. */
  readonly os: string;
}

/** Oldest API that has all that is needed: static addresses, limits, labels. */
const oldestApi = "1.40";

/**
 * Opens the engine that the environment names.
 *
 * @throws {ConfigError} If none is named or there, or it is too old.
 * @throws {OsctlError} If it does not answer.
 */
export async function openEngine(env: ReadVariable): Promise<ContainerEngine> {
  const place = await findEngine(env);
  const { address } = place;
  const timeout = 0;
  const api = "socketPath" in address
    ? new Docker({ socketPath: address.socketPath, timeout })
    : new Docker({
      host: address.host,
      port: address.port,
      protocol: address.tls ? "https" : "http",
      ...address.tls?.ca === undefined ? {} : { ca: address.tls.ca },
      ...address.tls?.cert === undefined ? {} : { cert: address.tls.cert },
      ...address.tls?.key === undefined ? {} : { key: address.tls.key },
      ...address.tls?.verify === false
        ? { agent: new Agent({ rejectUnauthorized: false }) }
        : {},
      timeout,
    });
  const [version, info] = await Promise.all([api.version(), api.info()])
    .catch((error) => {
      throw unreachable(place, error);
    });
  const isPodman = JSON.stringify(version.Components ?? []).includes("Podman");
  const podman = isPodman ? await podmanFacts(api) : {};
  const facts: EngineFacts = {
    version: version.Version,
    api: version.ApiVersion,
    isPodman,
    isRootless: (info.SecurityOptions ?? []).some((one: string) =>
      one.includes("rootless")
    ),
    canLimit: info.MemoryLimit !== false && info.CpuCfsQuota !== false,
    canConnect: true,
    ...podman,
    cgroups: String(info.CgroupVersion ?? ""),
    processors: Number(info.NCPU ?? 0),
    memory: Number(info.MemTotal ?? 0),
    os: String(info.OSType ?? "linux"),
  };
  if (isOlderMinor(facts.api, oldestApi)) {
    throw new ConfigError(
      `Cannot use the container engine at ${place.text}: its version ${facts.version} has API ${facts.api}, and ${oldestApi} is required`,
      { hint: "Update the engine" },
    );
  }
  return { api, place, facts };
}

/** Where this machine reaches the ports of containers, as in a URL. */
export function portHost({ address }: EnginePlace): string {
  if ("socketPath" in address || isLoopback(address.host)) return "127.0.0.1";
  return urlHost(address.host);
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|::1)$/.test(host);
}

/** What Podman says in its own API alone. Source: `GET /libpod/info`. */
async function podmanFacts(
  { modem }: Docker,
): Promise<Partial<EngineFacts>> {
  const request = {
    path: "/v4.0.0/libpod/info",
    method: "GET",
    statusCodes: { 200: true },
  };
  const { host } = await new Promise<LibpodInfo>((resolve, reject) =>
    modem.dial(
      request,
      (error, info) => error ? reject(error) : resolve(info as LibpodInfo),
    )
  );
  const connectors = [host.slirp4netns, host.pasta]
    .flatMap((one) => one === undefined ? [] : [one.executable]);
  return {
    isRootless: host.security.rootless,
    canConnect: !host.security.rootless || connectors.length === 0 ||
      connectors.some((path) => path !== ""),
    canLimit: ["cpu", "memory"].every((one) =>
      (host.cgroupControllers ?? []).includes(one)
    ),
  };
}

interface LibpodInfo {
  readonly host: {
    readonly security: { readonly rootless: boolean };
    /** Those that containers can be limited with; null when there are none. */
    readonly cgroupControllers: readonly string[] | null;
    /** What connects rootless containers; the path is empty when it is not installed. */
    readonly slirp4netns?: { readonly executable: string };
    readonly pasta?: { readonly executable: string };
  };
}

function unreachable(
  { text, source, address }: EnginePlace,
  error: unknown,
): OsctlError {
  const { code } = error as NodeJS.ErrnoException;
  const name = source === undefined ? text : `${text} of ${source}`;
  const isDenied = code === "EACCES" || code === "EPERM";
  return new OsctlError(
    `Cannot reach the container engine at ${name}: ${
      isDenied
        ? "permission denied"
        : code === "ENOENT"
        ? "there is no such socket"
        : code === "ECONNREFUSED"
        ? "nothing listens there"
        : formatReason(error)
    }`,
    {
      cause: error,
      hint: isDenied && "socketPath" in address
        ? `Join the group that owns ${address.socketPath}, or use rootless Podman`
        : "Start the engine, or set DOCKER_HOST to a running one",
    },
  );
}

/** Status of the engine's answer; `undefined` when it did not answer. */
function findStatus(error: unknown): number | undefined {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return typeof statusCode === "number" ? statusCode : undefined;
}

/** What the engine says is wrong. */
export function formatReason(error: unknown): string {
  const { json } = error as { readonly json?: { readonly message?: unknown } };
  if (typeof json?.message === "string") return json.message.trim();
  return error instanceof Error ? error.message : String(error);
}

/** Asks the engine, and turns its refusal into an error that says what was to be done. */
export async function asking<T>(
  what: string,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof OsctlError) throw error;
    throw new OsctlError(`Cannot ${what}: ${formatReason(error)}`, {
      cause: error,
    });
  }
}

/** Asks the engine for what may not be there. Returns `undefined` then. */
export async function ifThere<T>(
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (findStatus(error) === 404) return undefined;
    throw error;
  }
}
