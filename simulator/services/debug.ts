/** Debug containers, since v1.13: `DebugService`. */

import { RpcError } from "../../errors.ts";
import {
  DebugContainerRunRequestSpec_Profile as Profile,
  type DebugContainerRunResponse,
  type DebugServiceDefinition,
} from "../../transport/gen/machine_debug.ts";
import { enumName } from "../../transport/node/enum_name.ts";
import { imagesIn, storeOfInstance } from "../node/images.ts";
import { findMinor } from "../release/release.ts";
import type { Handlers } from "./handlers.ts";

/** `ContainerRun`: every image has a shell with a few commands, without a terminal. */
export const debug: Handlers<typeof DebugServiceDefinition> = {
  async *containerRun(requests, { node }) {
    const input = requests[Symbol.asyncIterator]();
    const { request } = (await input.next()).value ?? {};
    if (request?.$case !== "spec") {
      throw invalid("expected debug container spec");
    }
    const { profile, containerd, imageName, args } = request.value;
    const isHost = profile === Profile.PROFILE_HOST_NS && findMinor(node) >= 14;
    if (profile !== Profile.PROFILE_PRIVILEGED && !isHost) {
      const name = enumName(Profile, profile);
      throw invalid(`unsupported debug container profile: ${name}`);
    }
    const images = await imagesIn(node, storeOfInstance(containerd));
    if (!images.has(imageName)) {
      throw new RpcError(
        "NOT_FOUND",
        `image ${imageName} not found: image "${imageName}": not found`,
      );
    }
    yield* shell(args.length === 0 ? ["sh"] : args, readStdin(input));
  },
};

function invalid(message: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", message);
}

type Input = string | number;

type Requests = Parameters<
  NonNullable<(typeof debug)["containerRun"]>
>[0] extends AsyncIterable<infer Request> ? AsyncIterator<Request> : never;

async function* readStdin(requests: Requests): AsyncGenerator<Input> {
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await requests.next();
    if (done) return;
    const { request } = value;
    if (request?.$case === "stdinData") {
      yield decoder.decode(request.value, { stream: true });
    }
    if (request?.$case === "signal") yield request.value;
  }
}

/** Exit status of a process killed by a signal, minus the signal number. */
const signalled = 128;

/** Runs `sh`, `sh -c COMMAND`, or a command; `cat` and the shell read stdin until EOF or a signal. */
async function* shell(
  [program = "", ...args]: readonly string[],
  stdin: AsyncIterable<Input>,
): AsyncGenerator<DebugContainerRunResponse> {
  if (program !== "sh" && program !== "cat") {
    if (!Object.hasOwn(commands, program)) {
      throw new RpcError(
        "UNKNOWN",
        `failed to start task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "${program}": executable file not found in $PATH`,
      );
    }
    return yield* told(commandRun([program, ...args]));
  }
  if (args[0] === "-c") {
    return yield* told(commandRun(splitWords(args[1] ?? "")));
  }
  let code = 0;
  let rest = "";
  for await (const typed of stdin) {
    if (typeof typed === "number") return yield exited(signalled + typed);
    if (program === "cat") {
      yield written(typed);
      continue;
    }
    const lines = (rest + typed).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [first, status] = splitWords(line);
      if (first === undefined) continue;
      if (first === "exit") return yield exited(Number(status ?? code) & 255);
      const ran = commandRun(splitWords(line));
      code = ran.code;
      if (ran.text !== "") yield written(ran.text);
    }
  }
  yield exited(code);
}

function splitWords(line: string): readonly string[] {
  return line.trim().split(/\s+/).filter((word) => word !== "");
}

interface CommandRun {
  readonly text: string;
  readonly code: number;
}

const commands: Readonly<
  Record<string, (args: readonly string[]) => CommandRun>
> = {
  echo: (args) => ({ text: `${args.join(" ")}\n`, code: 0 }),
  false: () => ({ text: "", code: 1 }),
  ls: () => ({ text: "bin\ndev\netc\nhost\nproc\nsys\n", code: 0 }),
  true: () => ({ text: "", code: 0 }),
};

function commandRun([name = "true", ...args]: readonly string[]): CommandRun {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command?.(args) ?? { text: `sh: ${name}: not found\n`, code: 127 };
}

function* told(
  { text, code }: CommandRun,
): Generator<DebugContainerRunResponse> {
  if (text !== "") yield written(text);
  yield exited(code);
}

function written(text: string): DebugContainerRunResponse {
  const value = new TextEncoder().encode(text);
  return { resp: { $case: "stdoutData", value } };
}

function exited(value: number): DebugContainerRunResponse {
  return { resp: { $case: "exitCode", value } };
}
