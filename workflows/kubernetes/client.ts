import { parseJson } from "../../lib/json.ts";
import { OsctlError } from "../../errors.ts";
import {
  fetchReason,
  isUntrusted,
} from "../../transport/connect/fetch_reason.ts";
import type { KubernetesAccess } from "./access.ts";
import { working } from "../../transport/call/open_calls.ts";

/** Any JSON object the API server sends. */
export interface KubernetesObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    /** Unique id; a recreated object of the same name has another. */
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly kind?: string;
      readonly controller?: boolean;
    }[];
  };
  readonly [key: string]: unknown;
}

/** The API server returned an error. */
export class KubernetesError extends OsctlError {
  override readonly name: string = "KubernetesError";
  /** HTTP status; 0 when it is unreachable. */
  readonly code: number;

  /** Creates the error. `code`: HTTP status; 0 when it is unreachable. */
  constructor(code: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
  }
}

/** The server certificate is not signed by the CA of the kubeconfig. */
export class UntrustedServerError extends KubernetesError {
  override readonly name = "UntrustedServerError";
}

/** Reports whether an error means that Kubernetes is unavailable. */
export function isAway(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError &&
    (error.code === 0 || error.code >= 500);
}

/** Method and body of a request. */
export interface KubernetesRequest {
  /** Default `GET`. */
  readonly method?: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** Type of a `PATCH`: a merge patch (RFC 7396), the default, or server-side apply. */
  readonly patch?: "merge" | "apply";
  readonly body?: unknown;
  /** Response type: JSON, the default, or text such as a log, returned as `{ text }`. */
  readonly accept?: "json" | "text";
  readonly signal: AbortSignal;
}

/** A connection to an API server. */
export interface Kubernetes extends Disposable {
  /**
   * Sends a request.
   *
   * @param path From `/api` or `/apis` on, with the query.
   * @throws {KubernetesError} If the server returns an error, or does not answer within 30 s.
   */
  readonly request: (
    path: string,
    request: KubernetesRequest,
  ) => Promise<KubernetesObject>;
}

const timeoutMs = 30_000;

/** Connects to an API server lazily, at the first request. */
export function openKubernetes(
  { server, ca, crt, key }: KubernetesAccess,
): Kubernetes {
  const client = Deno.createHttpClient({ caCerts: [ca], cert: crt, key });
  async function request(
    path: string,
    { method = "GET", patch = "merge", accept, body, signal }:
      KubernetesRequest,
  ): Promise<KubernetesObject> {
    const type = contentType({ method, patch });
    const { response, text } = await send(`${server}${path}`, {
      client,
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      // Errors are JSON, also for a log.
      headers: {
        accept: accept === "text" ? "*/*" : "application/json",
        "content-type": type,
        // Also the name of the field manager of its objects.
        "user-agent": "osctl",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return accept === "text" && response.ok
      ? { text }
      : parseAnswer(response.status, parseJson(text));
  }
  return { request, [Symbol.dispose]: () => client.close() };
}

/** Content type of a request. Server-side apply requires YAML; JSON is YAML. */
export function contentType(
  { method, patch }: Pick<KubernetesRequest, "method" | "patch">,
): string {
  if (method !== "PATCH") return "application/json";
  return patch === "apply"
    ? "application/apply-patch+yaml"
    : "application/merge-patch+json";
}

interface Sending extends RequestInit {
  readonly client: Deno.HttpClient;
  readonly method: string;
  readonly signal: AbortSignal;
}

/** Methods that are safe to repeat: no patch here includes a resource version. */
const repeatable: ReadonlySet<string> = new Set(["GET", "PATCH"]);

/** Retries on a closed connection: servers close idle ones, also while a request is being sent. */
async function ask(url: string, init: Sending): Promise<Response> {
  const { method, signal } = init;
  try {
    return await fetch(url, init);
  } catch (error) {
    if (!repeatable.has(method) || signal.aborted) throw error;
    return await fetch(url, init);
  }
}

async function send(
  url: string,
  init: Sending,
): Promise<{ readonly response: Response; readonly text: string }> {
  const { origin } = new URL(url);
  try {
    return await working(`waiting for Kubernetes at ${origin}`, async () => {
      const response = await ask(url, init);
      // The connection may break while the response is read.
      return { response, text: await response.text() };
    });
  } catch (error) {
    const Failure = isUntrusted(error) ? UntrustedServerError : KubernetesError;
    const text = `Cannot reach Kubernetes at ${origin}: ${fetchReason(error)}`;
    throw new Failure(0, text, error);
  }
}

/** Parses a response. Throws `KubernetesError` for an error status. */
export function parseAnswer(status: number, body: unknown): KubernetesObject {
  const value = readFields(body);
  if (status >= 200 && status < 300) return value;
  throw new KubernetesError(status, formatMessage(value, status));
}

/** Message of the server with its causes. */
function formatMessage(
  { message, details }: KubernetesObject,
  status: number,
): string {
  if (typeof message !== "string") return `HTTP status ${status}`;
  const { causes } = readFields(details);
  const all = Array.isArray(causes) ? causes.map(readFields) : [];
  const texts = all.map((cause) => cause.message)
    .filter((text) => typeof text === "string" && !message.includes(text));
  return [message, ...texts].join(" ");
}

/** Fields of a nested object; empty if it does not exist. */
export function readFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
