/** What an API server says when it does not do what it was asked for. */

import { type Kind, qualified } from "./objects.ts";

/** A cause of a failure. */
export interface StatusCause {
  /** One word: `DisruptionBudget`. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
}

/** What {@linkcode ApiError} is made of. */
export interface ApiFailure {
  /** HTTP status. */
  readonly code: number;
  /** One word: `NotFound`. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  /** Name of the object it is about. */
  readonly name?: string;
  /** Kind of the object it is about. */
  readonly kind?: Kind;
  /** What led to it. */
  readonly causes?: readonly StatusCause[];
}

/** A request fails. */
export class ApiError extends Error {
  /** Class name, for stacks. */
  override readonly name: string = "ApiError";
  /** HTTP status. */
  readonly code: number;
  /** Object of kind `Status` that is sent. */
  readonly body: unknown;

  /** Makes the error. */
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.code = failure.code;
    this.body = statusOf(failure);
  }
}

/** There is no such object. */
export function notFound(kind: Kind, name: string): ApiError {
  const message = `${qualified(kind)} "${name}" not found`;
  return new ApiError({ code: 404, reason: "NotFound", message, name, kind });
}

/** There is such an object already. */
export function alreadyExists(kind: Kind, name: string): ApiError {
  const message = `${qualified(kind)} "${name}" already exists`;
  const reason = "AlreadyExists";
  return new ApiError({ code: 409, reason, message, name, kind });
}

/**
 * The object is not the one that was meant.
 *
 * @param why Upper or lower case first, no period.
 */
export function conflict(kind: Kind, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${
    qualified(kind)
  } "${name}": ${why}`;
  return new ApiError({ code: 409, reason: "Conflict", message, name, kind });
}

/** The path leads nowhere. */
export function unknownPath(): ApiError {
  const message = "the server could not find the requested resource";
  return new ApiError({ code: 404, reason: "NotFound", message });
}

/** What was sent makes no sense. */
export function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: "BadRequest", message });
}

/** The path takes no such request. */
export function methodNotAllowed(): ApiError {
  const message =
    "the server does not allow this method on the requested resource";
  return new ApiError({ code: 405, reason: "MethodNotAllowed", message });
}

/** Nobody knows the caller. */
export function unauthorized(): ApiError {
  const message = "Unauthorized";
  return new ApiError({ code: 401, reason: message, message });
}

/** etcd has no majority. */
export function etcdTimeout(): ApiError {
  const message = "etcdserver: request timed out";
  return new ApiError({ code: 500, reason: "InternalError", message });
}

function statusOf(
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
