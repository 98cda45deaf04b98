/** Schematics of the image factory; their ids are computed here. */

import { toCursor } from "../../config/documents/cursor.ts";
import { conform } from "../../config/documents/conform.ts";
import { refuse } from "../../config/documents/problem.ts";
import { missingFields } from "../../config/documents/requirements.ts";
import { fieldTable } from "../../config/documents/table.ts";
import {
  type MapNode,
  type Plain,
  toTree,
  withoutComments,
} from "../../config/tree/node.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { writeTree } from "../../config/tree/write.ts";
import { OsctlError } from "../../errors.ts";
import { systemReason } from "../../lib/files/system_reason.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { misread } from "../../lib/text/text_position.ts";

/** Parts of a schematic. */
export interface Schematic {
  /** Names of system extensions: `siderolabs/iscsi-tools`. */
  readonly extensions?: readonly string[];
  readonly kernelArgs?: readonly string[];
  readonly overlay?: Plain;
}

/** Keys of a schematic file, in the order in which the factory writes them; the id depends on it. */
const schematicFields = fieldTable`
owner                            | text                                  | Owner
overlay                          | struct                                | Overlay of the image
  image                          | text, always, required                | Image of the overlay
  name                           | text, always, required                | Name of the overlay
  options                        | free                                  | Options of the overlay
customization                    | struct, always                        | Changes to the image
  embeddedMachineConfiguration   | text                                  | Configuration
  extraKernelArgs                | list(text)                            | Kernel arguments
  meta                           | list(struct)                          | Contents of META
    key                          | u8, always, required                  | Key
    value                        | text, always, required                | Value
  systemExtensions               | struct                                | System extensions
    officialExtensions           | list(text)                            | Names
  bootloader                     | exact(none dual-boot sd-boot grub)    | Boot loader
  secureboot                     | struct                                | Secure Boot
    enrollKeys                   | text                                  | When keys are enrolled
    includeWellKnownCertificates | boolean                               | Whether well-known certificates are enrolled, too
  diskImage                      | struct                                | Disk image
    sectorSize                   | u64                                   | Bytes in a sector
`;

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
  if (first?.root.kind !== "map" || second !== undefined) {
    const fault = second === undefined
      ? "it is not a mapping"
      : "it has several documents";
    throw misread(file, undefined, fault, "Give a schematic");
  }
  return await toCanonical(withoutComments(first.root), `schematic "${file}"`);
}

/** Makes a schematic of its parts. */
export async function makeSchematic(
  { extensions = [], kernelArgs = [], overlay }: Schematic,
): Promise<CanonicalSchematic> {
  const root = toTree({
    overlay,
    customization: {
      extraKernelArgs: kernelArgs,
      systemExtensions: { officialExtensions: extensions },
    },
  });
  return await toCanonical(root as MapNode, "the schematic");
}

async function toCanonical(
  root: MapNode,
  subject: string,
): Promise<CanonicalSchematic> {
  const fields = schematicFields();
  const { node, problems } = conform(root, fields);
  refuse(subject, [...problems, ...missingFields(toCursor(root), fields)]);
  const text = writeTree(node);
  return { id: await sha256Hex(text), text };
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
