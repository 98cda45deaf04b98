/** Metadata in messages of replies and streams. */

import { rpcCode, RpcError } from "../../errors.ts";
import { statusError } from "../connect/status.ts";

/** Common fields of the messages of a reply. */
export interface ReplyMessage {
  /** Set by an endpoint that forwarded the call. */
  readonly metadata?: {
    /** Error of the node; empty on success. */
    readonly error: string;
    /** Error as a status; absent from old endpoints. */
    readonly status?: {
      readonly code: number;
      readonly message: string;
    } | undefined;
  } | undefined;
}

interface Replied {
  readonly messages?: readonly ReplyMessage[];
}

/**
 * Returns the message of a reply from a single node.
 *
 * @param messages Field `messages` of the reply.
 * @throws {RpcError} If there is no message, or it reports a failure.
 */
export function single<T extends ReplyMessage>(messages: readonly T[]): T {
  const [message] = messages;
  if (message === undefined) {
    throw new RpcError("DATA_LOSS", "The response has no message");
  }
  const failure = replyError(message);
  if (failure !== undefined) throw failure;
  return message;
}

/**
 * Throws if a message of a reply reports a failure.
 *
 * @param reply Reply of a unary call; not checked without a field `messages`.
 * @returns The reply.
 * @throws {RpcError} The reported failure.
 */
export function requireMessage<T>(reply: T): T {
  const { messages = [] } = reply as Replied;
  for (const message of messages) {
    const failure = replyError(message);
    if (failure !== undefined) throw failure;
  }
  return reply;
}

/**
 * Returns a required field of a message.
 *
 * @param name Description for the error: `memory figures`.
 * @throws {RpcError} If the field is absent.
 */
export function requireField<T>(part: T | undefined, name: string): T {
  if (part !== undefined) return part;
  throw new RpcError("DATA_LOSS", `The response has no ${name}`);
}

/** Failure reported in a message of a reply or stream, if any. */
export function replyError({ metadata }: ReplyMessage): RpcError | undefined {
  const { error = "", status } = metadata ?? {};
  if (status !== undefined && status.code !== 0) {
    return statusError(status.code, status.message);
  }
  return error === "" ? undefined : statusError(rpcCode.UNKNOWN, error);
}
