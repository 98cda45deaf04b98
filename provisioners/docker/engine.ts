/** Container engine: API client and errors. */

import { isOlderMinor } from "../../lib/version.ts";
import { urlHost } from "../../lib/ip.ts";
import { Agent } from "node:https";
// @ts-types="@types/dockerode"
import Docker from "dockerode";
import { ConfigError, OsctlError } from "../../errors.ts";
import { type EnginePlace, findEngine, type ReadVariable } from "./endpoint.ts";

/** A connected engine. */
export interface ContainerEngine {
  readonly api: Docker;
  readonly place: EnginePlace;
  readonly facts: EngineFacts;
}

interface EngineFacts {
  readonly version: string;
  readonly api: string;
  readonly isPodman: boolean;
  /** True if the engine is rootless. */
  readonly isRootless: boolean;
  /** False if it cannot limit memory and CPUs of containers. */
  readonly canLimit: boolean;
  /** False if the program for rootless container networks is missing. */
  readonly canConnect: boolean;
  /** Cgroup version, `1` or `2`; empty if not reported. */
  readonly cgroups: string;
  readonly processors: number;
  /** Memory of its machine in bytes. */
  readonly memory: number;
  /** Operating system of its containers: `linux` or `windows`. */
  readonly os: string;
}

/** Minimum API version: static addresses, limits, labels. */
const oldestApi = "1.40";

/**
 * Connects to the engine selected by the environment.
 *
 * @throws {ConfigError} If no engine was found, or it is too old.
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
      ca: address.tls?.ca,
      cert: address.tls?.cert,
      key: address.tls?.key,
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

/** Returns the host of published container ports, as in a URL. */
export function portHost({ address }: EnginePlace): string {
  if ("socketPath" in address || isLoopback(address.host)) return "127.0.0.1";
  return urlHost(address.host);
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|::1)$/.test(host);
}

/** Reads facts only available in Podman's own API. Source: `GET /libpod/info`. */
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
    /** Cgroup controllers available for containers; null if there are none. */
    readonly cgroupControllers: readonly string[] | null;
    /** Network program of rootless containers; the path is empty if it is not installed. */
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

/** Returns the HTTP status of an engine error; `undefined` if there was no response. */
function findStatus(error: unknown): number | undefined {
  const { statusCode } = error as { readonly statusCode?: unknown };
  return typeof statusCode === "number" ? statusCode : undefined;
}

/** Returns the reason in an engine error. */
export function formatReason(error: unknown): string {
  const { json } = error as { readonly json?: { readonly message?: unknown } };
  if (typeof json?.message === "string") return json.message.trim();
  return error instanceof Error ? error.message : String(error);
}

/** Sends a request to the engine, and wraps errors with the failed action. */
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

/** Sends a request for an optional object. Returns `undefined` if it does not exist. */
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
