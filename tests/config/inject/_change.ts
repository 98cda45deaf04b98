/** Texts with one change made in them. */

import { type Edit, edited } from "../../../config/inject/edit.ts";
import {
  type Manifest,
  readManifest,
} from "../../../config/inject/manifest.ts";
import { type Style, styleOf } from "../../../config/inject/written_value.ts";

/** What an edit is made from. */
export interface Opened extends Manifest {
  readonly target: { readonly text: string; readonly style: Style };
}

/** Reads a text that is sound. */
export function opened(text: string): Opened {
  const manifest = readManifest(text);
  if ("fault" in manifest) throw new Error(manifest.fault);
  const eol = text.includes("\r") ? "\r\n" : "\n";
  const style = styleOf(manifest.document, eol);
  return { ...manifest, target: { text, style } };
}

/** Makes edits, and tells the text only when it is still one document. */
export function made({ text }: Manifest, edits: readonly Edit[]): string {
  return opened(edited(text, edits) ?? "").text;
}
