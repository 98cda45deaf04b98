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

/** `ContainerRun`: every image has a shell with a few commands, on a terminal or without one. */
export const debug: Handlers<typeof DebugServiceDefinition> = {
  async *containerRun(requests, { node }) {
    const input = requests[Symbol.asyncIterator]();
    const { request } = (await input.next()).value ?? {};
    if (request?.$case !== "spec") {
      throw invalid("expected debug container spec");
    }
    const { profile, containerd, imageName, args, tty } = request.value;
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
    const { debugContainers } = node.boot;
    const id = `debug-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
    debugContainers.set(id, imageName);
    const words = args.length === 0 ? ["sh"] : args;
    const stdin = readStdin(input);
    try {
      if (!tty) return yield* shell(words, stdin);
      const prompt = `${node.identity.hostname} # `;
      for await (const sent of shell(words, readTerminal(stdin), prompt)) {
        const { resp } = sent;
        yield resp?.$case === "stdoutData" ? withReturns(resp.value) : sent;
      }
    } finally {
      debugContainers.delete(id);
    }
  },
};

function invalid(message: string): RpcError {
  return new RpcError("INVALID_ARGUMENT", message);
}

/** Text, the number of a signal, the echo of a terminal, or its size as `stty size` prints it. */
type Input = string | number | { readonly echo: string } | {
  readonly size: string;
};

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
    if (request?.$case === "termResize") {
      const { width, height } = request.value;
      yield { size: `${height} ${width}` };
    }
  }
}

/** Input of a terminal: keys are echoed, lines are passed on as a whole, Ctrl-C is SIGINT and Ctrl-D the end. */
async function* readTerminal(
  stdin: AsyncIterable<Input>,
): AsyncGenerator<Input> {
  let line = "";
  for await (const typed of stdin) {
    if (typeof typed !== "string") {
      yield typed;
      continue;
    }
    for (const key of typed) {
      if (key === "\x04" && line === "") return;
      if (key === "\x03") {
        line = "";
        yield { echo: "^C\n" };
        yield interrupt;
      } else if (key === "\r" || key === "\n") {
        yield { echo: "\n" };
        yield `${line}\n`;
        line = "";
      } else {
        line += key;
        yield { echo: key };
      }
    }
  }
}

/** A terminal returns before it feeds a line. */
function withReturns(bytes: Uint8Array): DebugContainerRunResponse {
  return outputReply(new TextDecoder().decode(bytes).replaceAll("\n", "\r\n"));
}

/** Exit status of a process killed by a signal, minus the signal number. */
const signalled = 128;

/** Number of SIGINT. */
const interrupt = 2;

/**
 * Runs `sh`, `sh -c COMMAND`, or a command; `cat` and the shell read stdin until EOF or a signal.
 *
 * @param prompt Prompt of the shell on a terminal, where an interrupt does not end it; absent without a terminal.
 */
async function* shell(
  [program = "", ...args]: readonly string[],
  stdin: AsyncIterable<Input>,
  prompt?: string,
): AsyncGenerator<DebugContainerRunResponse> {
  if (program !== "sh" && program !== "cat") {
    if (!Object.hasOwn(commands, program)) {
      throw new RpcError(
        "UNKNOWN",
        `failed to start task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: "${program}": executable file not found in $PATH`,
      );
    }
    return yield* endWith(commandRun([program, ...args]));
  }
  if (args[0] === "-c") {
    return yield* endWith(commandRun(splitWords(args[1] ?? "")));
  }
  let code = 0;
  let rest = "";
  let size = "0 0";
  const isPrompting = program === "sh" && prompt !== undefined;
  if (isPrompting) yield outputReply(prompt);
  for await (const typed of stdin) {
    if (typeof typed === "object") {
      if ("size" in typed) size = typed.size;
      else yield outputReply(typed.echo);
      continue;
    }
    if (typed === interrupt && isPrompting) {
      yield outputReply(prompt);
      continue;
    }
    if (typeof typed === "number") return yield exitReply(signalled + typed);
    if (program === "cat") {
      yield outputReply(typed);
      continue;
    }
    const lines = (rest + typed).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [first, status] = splitWords(line);
      if (first === "exit") {
        return yield exitReply(Number(status ?? code) & 255);
      }
      if (first === "stty") yield outputReply(`${size}\n`);
      else if (first !== undefined) {
        const ran = commandRun(splitWords(line));
        code = ran.code;
        if (ran.text !== "") yield outputReply(ran.text);
      }
      if (isPrompting) yield outputReply(prompt);
    }
  }
  yield exitReply(code);
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

function* endWith(
  { text, code }: CommandRun,
): Generator<DebugContainerRunResponse> {
  if (text !== "") yield outputReply(text);
  yield exitReply(code);
}

function outputReply(text: string): DebugContainerRunResponse {
  const value = new TextEncoder().encode(text);
  return { resp: { $case: "stdoutData", value } };
}

function exitReply(value: number): DebugContainerRunResponse {
  return { resp: { $case: "exitCode", value } };
}
