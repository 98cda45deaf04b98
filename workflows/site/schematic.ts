/** Schematics of the image factory; their ids are computed here. */

import { toPlain } from "../../config/tree/resolve.ts";
import { type ConfigNode, type Plain, toTree } from "../../config/tree/node.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { writeTree } from "../../config/tree/write.ts";
import { OsctlError } from "../../errors.ts";
import { systemReason } from "../../lib/files/system_reason.ts";
import { sortKeys } from "../../lib/json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { misread } from "../../lib/text/text_position.ts";
import { fit } from "../runbooks/language/match_shape.ts";
import { count, oneOf, text, truth } from "../runbooks/language/scalars.ts";
import {
  free,
  type LanguageShape,
  type LanguageStruct,
  listOf,
  mapOf,
  struct,
} from "../runbooks/language/shape.ts";
import { SiteError } from "./site_error.ts";

/** Parts of a schematic. */
export interface Schematic {
  /** Names of system extensions: `siderolabs/iscsi-tools`. */
  readonly extensions?: readonly string[];
  readonly kernelArgs?: readonly string[];
  readonly overlay?: Plain;
}

/** Keys of the overlay of an image, in the same order. */
export const overlay: LanguageStruct = struct("overlay", {
  image: { shape: text, summary: "Image of the overlay", required: true },
  name: { shape: text, summary: "Name of the overlay", required: true },
  options: { shape: mapOf(text, free), summary: "Options of the overlay" },
});

/** Keys of a schematic file, in the order in which the factory writes them; the id depends on it. */
const schematicFile = struct("schematic", {
  owner: { shape: text, summary: "Owner" },
  overlay: { shape: overlay, summary: "Overlay of the image" },
  customization: {
    shape: struct("customization", {
      embeddedMachineConfiguration: { shape: text, summary: "Configuration" },
      extraKernelArgs: { shape: listOf(text), summary: "Kernel arguments" },
      meta: {
        shape: listOf(struct("meta", {
          key: { shape: count, summary: "Key", required: true },
          value: { shape: text, summary: "Value", required: true },
        })),
        summary: "Contents of META",
      },
      systemExtensions: {
        shape: struct("systemExtensions", {
          officialExtensions: { shape: listOf(text), summary: "Names" },
        }),
        summary: "System extensions",
      },
      bootloader: {
        shape: oneOf(["none", "dual-boot", "sd-boot", "grub"]),
        summary: "Boot loader",
      },
      secureboot: {
        shape: struct("secureboot", {
          enrollKeys: { shape: text, summary: "When keys are enrolled" },
          includeWellKnownCertificates: {
            shape: truth,
            summary: "Whether well-known certificates are enrolled, too",
          },
        }),
        summary: "Secure Boot",
      },
      diskImage: {
        shape: struct("diskImage", {
          sectorSize: { shape: count, summary: "Bytes in a sector" },
        }),
        summary: "Disk image",
      },
    }),
    summary: "Changes to the image",
  },
});

/** A schematic that the factory can build. */
export interface CanonicalSchematic {
  readonly id: string;
  /** As the factory writes it; the id is its SHA-256. */
  readonly text: string;
}

/**
 * Parses a schematic file, and computes its id.
 *
 * @throws {ConfigError} With every unknown key and wrong value, by line and column.
 */
export async function parseSchematic(
  text: string,
  file: string,
): Promise<CanonicalSchematic> {
  const [first, second] = readDocuments(text, file).documents;
  if (first === undefined) {
    throw misread(file, undefined, "it is empty", "Give a schematic");
  }
  if (second !== undefined) {
    throw misread(file, undefined, "it has several documents");
  }
  const place = first.root.at ?? { file, line: 1, column: 1 };
  const problems = fit(first.root, schematicFile, place);
  if (problems.length > 0) throw new SiteError(problems, `schematic "${file}"`);
  return await toCanonical(first.root);
}

/** Makes a schematic of its parts. */
export async function makeSchematic(
  { extensions = [], kernelArgs = [], overlay }: Schematic,
): Promise<CanonicalSchematic> {
  return await toCanonical(toTree({
    ...overlay !== undefined && { overlay },
    customization: {
      extraKernelArgs: kernelArgs,
      systemExtensions: { officialExtensions: extensions },
    },
  }));
}

/**
 * Sends a schematic to a factory, which builds images only of those that it knows.
 *
 * @param factory Host, with a port if need be; without TLS on this machine, as registries.
 * @throws {OsctlError} If it does not take the schematic, or gives it another id.
 */
export async function registerSchematic(
  factory: string,
  { id, text }: CanonicalSchematic,
  signal: AbortSignal,
): Promise<void> {
  const isLocal = /^(127\.|localhost(:|$)|\[::1\])/.test(factory);
  const url = `${isLocal ? "http" : "https"}://${factory}/schematics`;
  const failed = (reason: string, cause?: unknown) =>
    new OsctlError(
      `Cannot register schematic ${id} with ${factory}: ${reason}`,
      { cause, hint: `Sent to ${url}` },
    );
  let answer: Response;
  try {
    answer = await fetch(url, { method: "POST", body: text, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw failed(systemReason(error), error);
  }
  const body = await answer.text();
  if (!answer.ok) {
    throw failed(`HTTP ${answer.status}: ${body.trim().slice(0, 300)}`);
  }
  const own = /"id":\s*"(\w+)"/.exec(body)?.[1];
  if (own !== id) throw failed(`its id is ${own ?? "missing"} there`);
}

/** The canonical form: keys in order, empty values omitted, as the factory writes it. */
async function toCanonical(root: ConfigNode): Promise<CanonicalSchematic> {
  const { customization = {}, ...rest } = canonicalMap(root, schematicFile);
  const text = writeTree(toTree({ ...rest, customization }));
  return { id: await sha256Hex(text), text };
}

function canonicalMap(
  root: ConfigNode,
  { keys }: LanguageStruct,
): { readonly [key: string]: Plain } {
  const entries = root.kind === "map" ? root.entries : [];
  return Object.fromEntries(
    Object.entries(keys).flatMap(([name, { shape, required }]) => {
      const found = entries.find(({ key }) => key === name);
      const value = found && canonicalValue(found.value, shape);
      const isWanted = value !== undefined && (required || !isEmpty(value));
      return isWanted ? [[name, value]] : [];
    }),
  );
}

function canonicalValue(node: ConfigNode, shape: LanguageShape): Plain {
  if (shape.shape === "struct") return canonicalMap(node, shape);
  if (shape.shape === "list" && node.kind === "list") {
    return node.items.map(({ value }) => canonicalValue(value, shape.of));
  }
  // A text that looks like a number stays a text.
  const isText = shape === text && node.kind === "scalar";
  return isText ? node.text : sortKeys(toPlain(node));
}

function isEmpty(value: Plain): boolean {
  if (value === null || value === "" || value === false || value === "none") {
    return true;
  }
  return typeof value === "object" && Object.keys(value).length === 0;
}
