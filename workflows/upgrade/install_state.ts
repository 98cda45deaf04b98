/** Finds out whether an installer ran in the current boot of a node: by evidence, as there is no call for it. */

import { parseJson } from "../../lib/json.ts";
import { RpcError } from "../../errors.ts";
import { byLines } from "../../transport/stream/by_line.ts";
import type { NodeClient } from "../../transport/call/client.ts";
import { containerRuntime } from "../../transport/node/containers.ts";
import { payload } from "../../transport/call/payload.ts";
import { single } from "../../transport/call/reply.ts";
import { failureKind } from "../../transport/call/retryable.ts";

/** State of the installer in this boot. */
export type InstallState =
  | {
    /** None was started in this boot. */
    readonly state: "none";
  }
  | {
    readonly state: "running";
    /** Its image; empty if unknown. */
    readonly image: string;
  }
  | {
    readonly state: "ended";
    /** Its image; empty if unknown. */
    readonly image: string;
    readonly exitCode: number;
  }
  | {
    /** There is no evidence for either. */
    readonly state: "unknown";
    /** Image of an installer that started and left no output; empty when the log may not be read. */
    readonly image: string;
  };

type Client = Pick<NodeClient, "machine">;

const deadlineMs = 15_000;

/**
 * Looks for an installer of this boot.
 *
 * By reliability: the log of the node's init program, the boot loader's selection, the processes.
 *
 * @param version Version that would have been installed; `undefined` if unknown.
 */
export async function readInstallState(
  client: Client,
  version: string | undefined,
): Promise<InstallState> {
  const logged = await readLog(client);
  if (logged?.exitCode !== undefined) {
    const { image, exitCode } = logged;
    return { state: "ended", image, exitCode };
  }
  if (version !== undefined && await isChosen(client, version)) {
    return { state: "ended", image: logged?.image ?? "", exitCode: 0 };
  }
  if (await isAtWork(client)) {
    return { state: "running", image: logged?.image ?? "" };
  }
  if (logged === undefined) return { state: "unknown", image: "" };
  // An announced installer without any output could not be started.
  const { image, hasSpoken } = logged;
  return image !== "" && hasSpoken
    ? { state: "unknown", image }
    : { state: "none" };
}

interface Logged {
  /** Its image; empty if none was started. */
  readonly image: string;
  /** Its exit status, once it has finished. */
  readonly exitCode: number | undefined;
  /** True once it has written output. */
  readonly hasSpoken: boolean;
}

/** Reads the log of this boot; `undefined` when it may not be read. */
async function readLog({ machine }: Client): Promise<Logged | undefined> {
  let logged: Logged = { image: "", exitCode: undefined, hasSpoken: false };
  const request = {
    ...containerRuntime(false),
    id: "machined",
    tailLines: -1,
  };
  try {
    const log = payload(machine.logs(request, { deadlineMs }));
    for await (const lines of byLines(log)) {
      for (const line of lines) logged = addLogged(logged, fieldsIn(line));
    }
    return logged;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function addLogged(
  logged: Logged,
  { service, installer_image: image, exit_code: exitCode, message }:
    LogLineFields,
): Logged {
  if (service !== "lifecycle") return logged;
  if (typeof image === "string") {
    return { image, exitCode: undefined, hasSpoken: false };
  }
  if (typeof message === "string") return { ...logged, hasSpoken: true };
  return typeof exitCode === "number" ? { ...logged, exitCode } : logged;
}

type LogLineFields = Readonly<Record<string, unknown>>;

function fieldsIn(line: string): LogLineFields {
  const start = line.indexOf("{");
  if (start < 0 || !line.includes('"lifecycle"')) return {};
  const fields = parseJson(line.slice(start));
  return typeof fields === "object" && fields !== null ? { ...fields } : {};
}

const variables = "/sys/firmware/efi/efivars";
/** Vendor GUID of the variables of the Boot Loader Interface. */
const vendor = "4a67b082-0a4c-41cf-b6c7-440b29bb8c4f";

/** Reports whether the boot loader would start another system of that version. */
async function isChosen(client: Client, version: string): Promise<boolean> {
  const [chosen, running] = await Promise.all([
    readLoaderVariable(client, "LoaderEntryDefault"),
    readLoaderVariable(client, "LoaderEntrySelected"),
  ]);
  if (chosen === undefined || running === undefined) return false;
  const [one, other] = [chosen.toLowerCase(), running.toLowerCase()];
  const [name = ""] = one.replace(/\.efi$/, "").split("~");
  return one !== other && name.endsWith(`-${version.toLowerCase()}`);
}

/**
 * Reads a boot loader variable: UTF-16 after four bytes of attributes.
 *
 * @param name Variable of the Boot Loader Interface.
 * @returns `undefined` if it is missing or empty.
 */
export async function readLoaderVariable(
  { machine }: Client,
  name: string,
): Promise<string | undefined> {
  const chunks: number[] = [];
  try {
    const path = `${variables}/${name}-${vendor}`;
    for await (const chunk of payload(machine.read({ path }, { deadlineMs }))) {
      chunks.push(...chunk);
    }
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
  const text = new TextDecoder("utf-16le").decode(
    Uint8Array.from(chunks.slice(4)),
  );
  return text.replace(/\0.*$/s, "") || undefined;
}

async function isAtWork({ machine }: Client): Promise<boolean> {
  const answer = await machine.processes({}, { deadlineMs });
  return single(answer.messages).processes.some(({ executable, args }) =>
    executable.endsWith("/installer") || args.startsWith("/bin/installer ")
  );
}

/** The node answered with an error. */
function isRefusal(error: unknown): boolean {
  return error instanceof RpcError && failureKind(error) !== "away";
}
