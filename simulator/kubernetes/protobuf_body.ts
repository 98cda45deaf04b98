/** Request bodies in Protobuf, which typed clients of Kubernetes prefer to JSON. */

import { BinaryReader } from "@bufbuild/protobuf/wire";
import { apiError, badRequest } from "./api_error.ts";

/** Names and types of fields by number; others are skipped. */
interface Message {
  readonly [field: number]: readonly [
    name: string,
    type: "text" | "texts" | "number" | "bytes" | "map" | Message,
  ];
}

const metadata: Message = {
  1: ["name", "text"],
  2: ["generateName", "text"],
  3: ["namespace", "text"],
  5: ["uid", "text"],
  6: ["resourceVersion", "text"],
  11: ["labels", "map"],
  12: ["annotations", "map"],
};

const deleteOptions: Message = {
  1: ["gracePeriodSeconds", "number"],
  2: ["preconditions", { 1: ["uid", "text"], 2: ["resourceVersion", "text"] }],
  4: ["propagationPolicy", "text"],
  5: ["dryRun", "texts"],
};

/** Kinds that clients of nodes send. */
const messages: Readonly<Record<string, Message>> = {
  ConfigMap: { 1: ["metadata", metadata], 2: ["data", "map"] },
  DeleteOptions: deleteOptions,
  Eviction: { 1: ["metadata", metadata], 2: ["deleteOptions", deleteOptions] },
  Namespace: { 1: ["metadata", metadata] },
};

/** Wrapper of an object, behind the first four bytes. */
const envelope: Message = {
  1: ["type", { 1: ["apiVersion", "text"], 2: ["kind", "text"] }],
  2: ["raw", "bytes"],
};

const prefix = "k8s\0";

/**
 * Reads an object, as it would be in JSON.
 *
 * @throws {ApiError} If it is damaged or of another kind.
 */
export function parseProtobuf(body: Uint8Array): Record<string, unknown> {
  const start = new TextDecoder("latin1").decode(body.subarray(0, 4));
  if (start !== prefix) throw badRequest("provided data has no k8s prefix");
  try {
    const { type, raw } = parseMessage(body.subarray(4), envelope);
    const { kind } = (type ?? {}) as { readonly kind?: string };
    const message = Object.hasOwn(messages, kind ?? "") && messages[kind ?? ""];
    if (!message) throw apiError("unsupportedMedia");
    return {
      ...type as object,
      ...parseMessage(
        raw as Uint8Array | undefined ?? new Uint8Array(),
        message,
      ),
    };
  } catch (error) {
    // The reader throws it at the end of the bytes.
    if (error instanceof RangeError) throw badRequest(error.message);
    throw error;
  }
}

function parseMessage(
  bytes: Uint8Array,
  message: Message,
): Record<string, unknown> {
  const reader = new BinaryReader(bytes);
  const found: Record<string, unknown> = {};
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const [name, type] = message[tag >>> 3] ?? [];
    if (name === undefined) reader.skip(tag & 7);
    else if (type === "text") {
      const text = reader.string();
      // An absent text is sent, too.
      if (text !== "") found[name] = text;
    } else if (type === "number") found[name] = Number(reader.int64());
    else if (type === "bytes") found[name] = reader.bytes();
    else if (type === "texts") {
      found[name] = [...(found[name] ?? []) as string[], reader.string()];
    } else if (type === "map") {
      const { key = "", value = "" } = parseMessage(reader.bytes(), {
        1: ["key", "text"],
        2: ["value", "text"],
      });
      found[name] = { ...found[name] as object, [String(key)]: value };
    } else if (type !== undefined) {
      found[name] = parseMessage(reader.bytes(), type);
    }
  }
  return found;
}
