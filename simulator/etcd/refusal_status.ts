/** Refusals of etcd as nodes pass them on. */

import { RpcError } from "../../errors.ts";
import { EtcdError } from "./etcd_error.ts";

/**
 * Passes an answer of etcd on.
 *
 * @param answer What etcd was asked.
 * @param doing What the node says it did not do; left out, it says nothing of its own.
 * @throws {RpcError} What the node says when etcd refuses.
 */
export async function told<T>(answer: Promise<T>, doing?: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw passedOn(error, doing);
  }
}

/**
 * Passes a stream of etcd on.
 *
 * @param answer What etcd was asked.
 * @param doing What the node says it did not do.
 * @throws {RpcError} What the node says when etcd refuses.
 */
export async function* toldEach<T>(
  answer: AsyncIterable<T>,
  doing: string,
): AsyncGenerator<T> {
  try {
    yield* answer;
  } catch (error) {
    throw passedOn(error, doing);
  }
}

/** Puts words in front of a refusal of etcd; any other error stays as it is. */
export function withStart(error: unknown, start: string): unknown {
  if (!(error instanceof EtcdError)) return error;
  const text = `${start}: ${error.inner}`;
  return new EtcdError(text, error.code, text);
}

/**
 * What a node makes of a refusal of etcd; any other error stays as it is.
 *
 * @param doing What the node says it did not do; left out, it says nothing of its own.
 */
export function passedOn(error: unknown, doing = ""): unknown {
  if (!(error instanceof EtcdError)) return error;
  const { message, code = "UNKNOWN", inner } = error;
  // Only what did not come from etcd itself keeps its status.
  return new RpcError(code, doing === "" ? message : `${doing}: ${inner}`);
}
