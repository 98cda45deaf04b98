/** What messages of a reply or of a stream say beside their content. */

import { rpcCode, RpcError } from "../../errors.ts";
import { statusError } from "../connect/status.ts";

/** What messages of a reply have in common. */
export interface ReplyMessage {
  /** Set by an endpoint that asked the node for us. */
  readonly metadata?: {
    /** Why the node did not answer; empty when it did. */
    readonly error: string;
    /** The same as a status; absent from old endpoints. */
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
 * Takes the message out of a reply of one node.
 *
 * @param messages Field `messages` of the reply.
 * @throws {RpcError} If there is none, or it says that the node failed.
 */
export function single<T extends ReplyMessage>(messages: readonly T[]): T {
  const [message] = messages;
  if (message === undefined) {
    throw new RpcError("DATA_LOSS", "The response has no message");
  }
  const failure = reported(message);
  if (failure !== undefined) throw failure;
  return message;
}

/**
 * Refuses a reply one of whose messages says that the node failed.
 *
 * @param reply Reply of a unary call; those without a field `messages` pass.
 * @returns The reply.
 * @throws {RpcError} What the node failed with.
 */
export function answered<T>(reply: T): T {
  const { messages = [] } = reply as Replied;
  for (const message of messages) {
    const failure = reported(message);
    if (failure !== undefined) throw failure;
  }
  return reply;
}

/**
 * Takes a part out of a message that makes no sense without it.
 *
 * @param name What it is, for the error: `memory figures`.
 * @throws {RpcError} If it is absent.
 */
export function requireField<T>(part: T | undefined, name: string): T {
  if (part !== undefined) return part;
  throw new RpcError("DATA_LOSS", `The response has no ${name}`);
}

/** What a message says of a failure, if it does. `message`: one message of a reply or of a stream. */
export function reported({ metadata }: ReplyMessage): RpcError | undefined {
  const { error = "", status } = metadata ?? {};
  if (status !== undefined && status.code !== 0) {
    return statusError(status.code, status.message);
  }
  return error === "" ? undefined : statusError(rpcCode.UNKNOWN, error);
}
