/** Collects the output of a test and searches it for secrets. */

import { learnSecret } from "../../config/documents/load.ts";
import { filesBelow, leaksIn } from "./_planted_secrets.ts";

export function secretsIn(texts: Iterable<string>): ReadonlySet<string> {
  const secrets = new Set<string>();
  for (const text of texts) {
    const add = (secret: string | Uint8Array) => void secrets.add(`${secret}`);
    learnSecret(text, { add, addLater: (find) => find().forEach(add) });
  }
  return secrets;
}

/** Finds markers, other secrets and private keys. */
function findAll(
  text: string,
  secrets: ReadonlySet<string>,
): readonly string[] {
  const keys =
    text.match(/-----BEGIN [A-Z ]*PRIVATE KEY|LS0tLS1CRUdJTi(?!BDRVJU)/g) ?? [];
  const own = [...secrets].filter((secret) =>
    text.includes(secret) ||
    text.includes(JSON.stringify(secret).slice(1, -1))
  );
  return [...leaksIn(text), ...keys, ...own];
}

/** Texts of a test, and the secrets found in them, by place. */
export class Heard {
  readonly leaks: [where: string, ...found: string[]][] = [];

  constructor(readonly secrets: ReadonlySet<string>) {}

  add(where: string, text: string): void {
    const some = findAll(text, this.secrets);
    if (some.length > 0) this.leaks.push([where, ...some]);
  }

  async addFiles(
    folder: string,
    others: ReadonlySet<string> = new Set(),
  ): Promise<number> {
    const paths = (await filesBelow(folder))
      .filter((path) => {
        // Backups have the time in their names.
        const name = path.slice(folder.length + 1)
          .replace(/\.\d+T\d+Z(?=\.bak$)/, "");
        return !others.has(name);
      });
    for (const path of paths) {
      const bytes = await Deno.readFile(path);
      this.add(path, new TextDecoder("latin1").decode(bytes));
    }
    return paths.length;
  }
}

/** Long texts in a value: keys and tokens. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.length >= 16 ? [value] : [];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap(textsIn)
    : [];
}
