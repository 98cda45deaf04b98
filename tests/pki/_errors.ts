/** Readers of foreign bytes either return or throw an error that names the problem. */

import assert from "node:assert/strict";
import { ConfigError } from "../../errors.ts";

/** Fails unless the call throws a `ConfigError` with exactly this message. */
export function assertConfigError(run: () => unknown, message: string): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof ConfigError, String(error));
    assert.equal(error.message, message);
    return true;
  });
}

/** Fails unless the promise rejects with a `ConfigError` with exactly this message. */
export async function assertConfigRejection(
  result: Promise<unknown>,
  message: string,
): Promise<void> {
  const error = await result.then(() => undefined, (error) => error);
  assert.ok(error instanceof ConfigError, String(error));
  assert.equal(error.message, message);
}

/** Calls and swallows a `ConfigError`; anything else that is thrown fails the test. */
export function onlyConfigErrors(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
  }
}
