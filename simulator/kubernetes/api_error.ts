/** Errors of an API server. */

import { type ObjectKind, qualifiedKind } from "../state/kubernetes_objects.ts";

/** A cause of a failure. */
export interface StatusCause {
  /** One word: `DisruptionBudget`. */
  readonly reason: string;
  readonly message: string;
}

interface ApiFailure {
  readonly code: number;
  /** One word: `NotFound`. */
  readonly reason: string;
  readonly message: string;
  readonly name?: string;
  readonly kind?: ObjectKind;
  readonly causes?: readonly StatusCause[];
}

/** Failure of a request. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly code: number;
  /** Response body: an object of kind `Status`. */
  readonly body: unknown;

  constructor(failure: ApiFailure) {
    super(failure.message);
    this.code = failure.code;
    this.body = toStatus(failure);
  }
}

/** Error: the object does not exist. */
export function notFound(kind: ObjectKind, name: string): ApiError {
  return aboutObject(404, "NotFound", kind, name, "not found");
}

/** Error: the object already exists. */
export function alreadyExists(kind: ObjectKind, name: string): ApiError {
  return aboutObject(409, "AlreadyExists", kind, name, "already exists");
}

function aboutObject(
  code: number,
  reason: string,
  kind: ObjectKind,
  name: string,
  what: string,
): ApiError {
  const message = `${qualifiedKind(kind)} "${name}" ${what}`;
  return new ApiError({ code, reason, message, name, kind });
}

/** Error: conflict. `why`: the reason, first letter in any case, no period. */
export function conflict(
  kind: ObjectKind,
  name: string,
  why: string,
): ApiError {
  const object = `${qualifiedKind(kind)} "${name}"`;
  const message = `Operation cannot be fulfilled on ${object}: ${why}`;
  return new ApiError({ code: 409, reason: "Conflict", message, name, kind });
}

/** Error: a field of an existing object cannot be changed. `field`: path and new value. */
export function immutable(
  kind: ObjectKind,
  name: string,
  [field, value]: readonly [string, unknown],
): ApiError {
  const what = `is invalid: ${field}: Invalid value: ${
    JSON.stringify(value)
  }: field is immutable`;
  return aboutObject(422, "Invalid", kind, name, what);
}

/** Error: bad request. */
export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: "BadRequest", message });
}

/** Failures without an object: HTTP status, reason and message. */
const apiFailures = {
  unknownPath: [
    404,
    "NotFound",
    "the server could not find the requested resource",
  ],
  methodNotAllowed: [
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
  ],
  unsupportedMedia: [
    415,
    "UnsupportedMediaType",
    "the body of the request was in an unknown format - accepted media types include: application/json, application/vnd.kubernetes.protobuf",
  ],
  unauthorized: [401, "Unauthorized", "Unauthorized"],
  webhookRefused: [
    403,
    "Forbidden",
    'admission webhook "policy.example.com" denied the request: workloads are frozen',
  ],
  etcdTimeout: [500, "InternalError", "etcdserver: request timed out"],
} as const;

/** Makes the error of a failure without an object. */
export function apiError(failure: keyof typeof apiFailures): ApiError {
  const [code, reason, message] = apiFailures[failure];
  return new ApiError({ code, reason, message });
}

function toStatus(
  { code, reason, message, name, kind, causes }: ApiFailure,
): unknown {
  const details = {
    ...(name === undefined ? {} : { name }),
    ...(kind === undefined || kind.group === "" ? {} : { group: kind.group }),
    ...(kind === undefined ? {} : { kind: kind.plural }),
    ...(causes === undefined ? {} : { causes }),
  };
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    details,
    code,
  };
}
