/** Checks a configuration against the OS version of a node. */

import { isOlderMinor, parseMinor } from "../../lib/version.ts";
import { toCursor } from "../documents/cursor.ts";
import { findInstaller } from "../documents/find_value.ts";
import {
  type ConfigDocument,
  type DocumentProblem,
  findFields,
  within,
} from "../documents/load.ts";
import { unknownTo } from "../documents/requirements.ts";
import type { OsVersion } from "../documents/schema.ts";
import { newestContract, toOsVersion } from "../generate/contract.ts";

/**
 * Parses the major and minor version.
 *
 * @param tag `v1.12.3`, `v1.13.0-beta.1`.
 * @returns `undefined` if it is not a version.
 */
export function osVersionIn(tag: string): OsVersion | undefined {
  const version = parseMinor(tag);
  return version && `${version.major}.${version.minor}`;
}

/**
 * Finds kinds and keys that a version does not know.
 *
 * Undescribed kinds exist only in newer versions, so they are not reported for nodes of such a version.
 */
export function unknownIn(
  documents: readonly ConfigDocument[],
  version: OsVersion,
): readonly DocumentProblem[] {
  return documents.flatMap((document) => {
    const { schema, kind, root } = document;
    const cursor = toCursor(root);
    const since = schema?.since;
    const isNew = schema === undefined
      ? !isOlderMinor(toOsVersion(newestContract), version)
      : since !== undefined && isOlderMinor(version, since);
    const found = isNew
      ? [
        cursor.get("kind").error(
          `Version ${version} does not support ${kind}`,
          since && `It is supported since ${since}`,
        ),
      ]
      : schema === undefined
      ? []
      : [...unknownTo(cursor, findFields(schema), version)];
    return found.map((problem) => within(document, problem));
  });
}

/**
 * Reports a configuration for a newer version than that of the node: it names an installer of
 * that version, and the current configuration does not. Returns the installer.
 */
export function newerInstaller(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
  version: OsVersion,
): string | undefined {
  const [old, now] = [findInstaller(from), findInstaller(to)];
  if (now === undefined || now === old) return undefined;
  const tag = /:([^/:@]+)(?:@[^/]*)?$/.exec(now)?.[1] ?? "";
  const wanted = osVersionIn(tag);
  return wanted !== undefined && isOlderMinor(version, wanted)
    ? now
    : undefined;
}
