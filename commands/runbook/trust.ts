import { sha256Hex } from "../../lib/sha256.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import {
  locateRunbookPolicies,
  locateTrust,
} from "../../config/osconfig/location.ts";
import { ConfigError, RefusedError } from "../../errors.ts";
import {
  addTrust,
  checkPolicies,
} from "../../workflows/runbooks/language/typescript/trust.ts";
import {
  type Command,
  lines,
  type Values,
  word,
  yesFlag,
} from "../_kit/mod.ts";
import { confirm, prompter } from "../../terminal/prompt.ts";

/** A trusted TypeScript runbook. */
interface TrustedRunbookRow {
  readonly path: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
}

const inputs = {
  file: word("runbook file", { complete: "runbooks" }),
  yes: yesFlag,
};

export const command = {
  summary: "Trust a runbook in TypeScript",
  description:
    `Shows the file on standard error and asks. Its SHA-256 is recorded for this user; a changed file has to be trusted
again. A runbook-policy.yaml in /etc/osctl, or in the user's osctl directory, can forbid such runbooks (typescript:
never) or allow only some (typescript: listed, with their hashes under allowed).`,
  inputs,
  examples: [
    "runbook trust upgrade-gpu.runbook.ts",
    "runbook trust upgrade-gpu.runbook.ts --yes",
  ],
  view: lines(({ path, sha256 }) => `${path} is trusted: ${sha256}`),
  async *run({ input: { file: path, yes }, environment, signal, note }) {
    const places = {
      trusted: locateTrust(environment.env),
      policies: locateRunbookPolicies(environment.env),
    };
    const text = await readProgram(path);
    const sha256 = await sha256Hex(text);
    await checkPolicies(path, sha256, places);
    if (!yes) {
      for (const line of text.trimEnd().split("\n")) note(visible(line));
      using prompts = prompter({ environment, signal });
      const question = `trust "${path}"`;
      const hint = "Use --yes to trust it without confirmation";
      if (!await confirm(prompts, question, hint)) {
        throw new RefusedError(`"${path}" is not trusted`);
      }
    }
    await addTrust(
      { sha256, path, at: environment.now().toISOString() },
      places,
    );
    yield { path, sha256 };
  },
} satisfies Command<TrustedRunbookRow, Values<typeof inputs>>;

/** Escapes control characters that could hide parts of the program. */
function visible(line: string): string {
  return line.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (one) =>
      one === "\t" ? "  " : `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

async function readProgram(path: string): Promise<string> {
  if (!/\.[mc]?[jt]s$/.test(path)) {
    throw new ConfigError(
      `Cannot trust "${path}": it is not a TypeScript runbook`,
      {
        hint: "Only TypeScript runbooks need to be trusted",
      },
    );
  }
  const expected = "a runbook";
  const text = await readBoundedText({ path, limitMib: 4, expected });
  if (text !== undefined) return text;
  throw new ConfigError(`Cannot trust "${path}": no such file`);
}
