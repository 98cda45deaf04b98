/** A debug container with the terminal or the streams of this process. */

import { CancelledError } from "../../errors.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import {
  type DebugContainerRunRequest,
  type DebugContainerRunRequestSpec,
  DebugContainerRunRequestSpec_Profile as Profile,
} from "../../transport/gen/machine_debug.ts";
import type { Context } from "../_kit/mod.ts";

type Request = NonNullable<DebugContainerRunRequest["request"]>;

const signalNumbers = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Runs a container until it exits. Source: `DebugService.ContainerRun`; the node removes the container when the call
 * ends.
 *
 * @param spec Image and command.
 * @returns Exit status of the container; `undefined` if the node did not send one.
 * @throws {CancelledError} After a second signal, or when the terminal is closed.
 */
export async function* runContainer(
  { debug }: Pick<NodeClient, "debug">,
  spec: Pick<
    DebugContainerRunRequestSpec,
    "containerd" | "imageName" | "args"
  >,
  { environment, claimSignals, note, signal: ended }: Context<unknown>,
): AsyncGenerator<Uint8Array, number | undefined> {
  const { screen, stdin, stdout } = environment;
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ended]);
  const requests = new TransformStream<Request, { request: Request }>({
    transform: (request, output) => output.enqueue({ request }),
  });
  const writer = requests.writable.getWriter();
  // A request that is not sent any more belongs to a call that has ended.
  const send = (request: Request) => writer.write(request).catch(() => {});
  const keys = stdin.readable.getReader();

  function resize(): void {
    if (screen === undefined) return;
    const { columns: width, rows: height } = screen.size();
    send({ $case: "termResize", value: { width, height } });
  }

  async function forwardInput(): Promise<void> {
    for (;;) {
      const { done, value } = await keys.read();
      if (done) return await writer.close().catch(() => {});
      await send({ $case: "stdinData", value });
    }
  }

  let isSignalled = false;
  claimSignals?.((name) => {
    if (isSignalled || name === "SIGHUP") {
      stop.abort(new CancelledError(name === "SIGINT" ? name : "SIGTERM"));
      return undefined;
    }
    isSignalled = true;
    note(`Sent ${name} to the container; interrupt again to remove it`);
    send({ $case: "signal", value: signalNumbers[name] });
    return undefined;
  });
  const unlisten = screen?.listen?.({
    resized: resize,
    suspended: () => Promise.resolve(screen.raw(false)),
    resumed: () => screen.raw(true, "all"),
    closed: () => stop.abort(new CancelledError("SIGTERM")),
    restore: "",
  });
  const profile = Profile.PROFILE_PRIVILEGED;
  const value = { ...spec, env: {}, profile, tty: screen !== undefined };
  send({ $case: "spec", value });
  resize();
  try {
    screen?.raw(true, "all");
    forwardInput().catch((error: unknown) => stop.abort(error));
    const options = { signal, interactive: true };
    const answers = debug.containerRun(requests.readable, options);
    for await (const { resp } of answers) {
      if (resp?.$case === "exitCode") return resp.value;
      if (resp?.$case !== "stdoutData") continue;
      // Only here control sequences are for the terminal.
      if (screen === undefined) yield resp.value;
      else await stdout.write(resp.value);
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    // A pending read of a terminal ends only with the next key.
    keys.cancel().catch(() => {});
    screen?.raw(false);
    unlisten?.();
  }
}
