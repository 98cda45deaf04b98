/** Resource specs as protobuf messages, encoded from the same data as their YAML. */

import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { parseNanoseconds } from "../../config/documents/scalars/duration.ts";
import { domain } from "../../talos.ts";
import { addressBytes } from "../../lib/ip.ts";
import { Duration } from "../../transport/gen/google/protobuf/duration.ts";
import { enumNumbers, specFields } from "./spec_fields.ts";

interface MessageField {
  /** Key in YAML; `@` for the value itself. */
  readonly name: string;
  readonly number: number;
  /** Encoding if the value does not determine it; otherwise empty. */
  readonly kind: string;
  /** Fields of a nested message, if it is one. */
  readonly fields: readonly MessageField[] | undefined;
}

/** Encodes a spec; empty for types without known fields. */
export function encodeSpec(type: string, spec: unknown): Uint8Array {
  const fields = messages.get(type);
  return fields ? encodeMessage(fields, spec) : empty;
}

/** `name=7:kind`, or a brace. */
const tokens = /[\w@]+(?:=\d+)?(?::\w+)?|[{}]/g;

const messages: ReadonlyMap<string, readonly MessageField[]> = new Map(
  specFields.trim().split(/\n(?! )/).map((line) => {
    const [type = "", text = ""] = line.split(/: (.*)/s);
    const suffix = type.endsWith(".meta") ? "cosi.dev" : domain;
    return [`${type}.${suffix}`, parseFields(text.match(tokens) ?? [])];
  }),
);

/** Parses fields up to the end of their message, and consumes their tokens. */
function parseFields(rest: string[]): readonly MessageField[] {
  const fields: MessageField[] = [];
  let number = 0;
  for (let token = rest.shift(); token && token !== "}"; token = rest.shift()) {
    const [, name = "", given, kind = ""] =
      /^([\w@]+)(?:=(\d+))?(?::(\w+))?$/.exec(token) ?? [];
    number = given === undefined ? number + 1 : Number(given);
    const holds = rest[0] === "{";
    if (holds) rest.shift();
    const inner = holds ? parseFields(rest) : undefined;
    fields.push({ name, number, kind, fields: inner });
  }
  return fields;
}

function encodeMessage(
  fields: readonly MessageField[],
  value: unknown,
): Uint8Array {
  const writer = new BinaryWriter();
  for (const field of fields) {
    const own = field.name === "@"
      ? value
      : (value as Readonly<Record<string, unknown>>)[field.name];
    const repeats = Array.isArray(own) && field.kind !== "octets";
    for (const one of repeats ? own : listValues(own)) {
      writeField(writer, field, one);
    }
  }
  return writer.finish();
}

/** Omits default values. */
function listValues(value: unknown): readonly unknown[] {
  return value === undefined || value === null || value === "" ? [] : [value];
}

function writeField(
  writer: BinaryWriter,
  { number, kind, fields }: MessageField,
  value: unknown,
): void {
  const bytes = (content: Uint8Array) =>
    writer.uint32(number << 3 | 2).bytes(content);
  if (kind === "double") writer.uint32(number << 3 | 1).double(Number(value));
  else if (kind === "map" && fields) {
    for (const [key, one] of Object.entries(value as object)) {
      bytes(
        new BinaryWriter().uint32(1 << 3 | 2).string(key)
          .uint32(2 << 3 | 2).bytes(encodeMessage(fields, one)).finish(),
      );
    }
  } else if (Object.hasOwn(enumNumbers, kind)) {
    writer.uint32(number << 3).int64(findNumber(kind, String(value)));
  } else if (kind !== "") bytes(encoders[kind]?.(value) ?? empty);
  else if (fields) bytes(encodeMessage(fields, value));
  else if (typeof value === "string") bytes(encoder.encode(value));
  else if (value instanceof Object) writeMap(writer, number, value);
  else writer.uint32(number << 3).int64(Number(value));
}

function writeMap(writer: BinaryWriter, number: number, map: object): void {
  for (const [key, value] of Object.entries(map)) {
    const entry = encodeMessage(entryFields, { key, value });
    writer.uint32(number << 3 | 2).bytes(entry);
  }
}

const encoder = new TextEncoder();
const entryFields = parseFields(["key", "value"]);

function findNumber(kind: string, word: string): number {
  const numbers = enumNumbers[kind] ?? {};
  return numbers[word] ??
    word.split(",").reduce((sum, flag) => sum + (numbers[flag] ?? 0), 0);
}

/** Encoders by kind; all produce messages or bytes. */
const encoders: Readonly<Record<string, (value: unknown) => Uint8Array>> = {
  base64: (value) => Uint8Array.fromBase64(String(value)),
  octets: (value) => Uint8Array.from(value as readonly number[]),
  mac: (value) => Uint8Array.fromHex(String(value).replaceAll(":", "")),
  ip: (value) => addressMessage(String(value)),
  prefix(value) {
    const [address = "", length] = String(value).split("/");
    return addressMessage(address, length);
  },
  ipport(value) {
    const [, address = "", port] = /^\[?(.*?)\]?:(\d+)$/.exec(String(value)) ??
      [];
    return addressMessage(address, port);
  },
  url(value) {
    const { scheme, host, path } = value as Readonly<Record<string, string>>;
    return encodeMessage(parseFields(["@"]), `${scheme}://${host}${path}`);
  },
  duration(value) {
    const total = parseNanoseconds(String(value)) ?? 0n;
    const [seconds, nanos] = [total / billion, Number(total % billion)];
    return Duration.encode({ seconds, nanos }).finish();
  },
  struct(value) {
    const writer = new BinaryWriter();
    for (const [key, one] of Object.entries(value as object)) {
      writer.uint32(1 << 3 | 2).fork().uint32(1 << 3 | 2).string(key)
        .uint32(2 << 3 | 2).bytes(encodeAny(one)).join();
    }
    return writer.finish();
  },
};

const billion = 1_000_000_000n;

/** Encodes an address with its prefix length or port. */
function addressMessage(address: string, behind?: string): Uint8Array {
  const writer = new BinaryWriter();
  writer.uint32(1 << 3 | 2).bytes(Uint8Array.from(addressBytes(address) ?? []));
  if (behind !== undefined) writer.uint32(2 << 3).int32(Number(behind));
  return writer.finish();
}

/** Encodes any value as `google.protobuf.Value`. */
function encodeAny(value: unknown): Uint8Array {
  const writer = new BinaryWriter();
  if (typeof value === "number") writer.uint32(2 << 3 | 1).double(value);
  else if (typeof value === "string") writer.uint32(3 << 3 | 2).string(value);
  else if (typeof value === "boolean") writer.uint32(4 << 3).bool(value);
  else if (Array.isArray(value)) {
    writer.uint32(6 << 3 | 2).fork();
    for (const one of value) writer.uint32(1 << 3 | 2).bytes(encodeAny(one));
    writer.join();
  } else if (value instanceof Object) {
    writer.uint32(5 << 3 | 2).bytes(encoders["struct"]?.(value) ?? empty);
  } else writer.uint32(1 << 3).int32(0);
  return writer.finish();
}

const empty = new Uint8Array();
