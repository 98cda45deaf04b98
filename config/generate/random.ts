/** Random values of the forms that clusters use. */

import type { RandomBytes } from "../../pki/random_bytes.ts";

const characters = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Bytes from here on are left out, so that every character is as likely as another. */
const bound = 256 - 256 % characters.length;

/** Makes a token as `kubeadm` does: 6 characters that name it, a point, 16 that are secret. */
export function randomToken(random: RandomBytes): string {
  return `${randomCharacters(6, random)}.${randomCharacters(16, random)}`;
}

/** Makes a text of lower-case letters and digits. */
export function randomCharacters(length: number, random: RandomBytes): string {
  let text = "";
  while (text.length < length) {
    const bytes = random(length - text.length).filter((byte) => byte < bound);
    for (const byte of bytes) text += characters[byte % characters.length];
  }
  return text;
}
