/** Trust in TypeScript runbooks: they are programs, trusted by hash. */

import { sha256Hex } from "../../../../lib/sha256.ts";
import { writeFileAtomic } from "../../../../lib/files/atomic_file.ts";
import { readBoundedText } from "../../../../lib/files/bounded_file.ts";
import { readDocuments } from "../../../../config/tree/read.ts";
import { ConfigError, RefusedError } from "../../../../errors.ts";
import { coreValue } from "../../../../config/tree/core_value.ts";
import { fit } from "../match_shape.ts";
import { sourceProblemText } from "../problem.ts";
import { matching, oneOf } from "../scalars.ts";
import { listOf, struct } from "../shape.ts";

/** Files with trust decisions. */
export interface TrustPlaces {
  /** JSON file with the programs the user trusts; may be missing. */
  readonly trusted: string;
  /** YAML policy files; all apply. Missing ones are ignored. */
  readonly policies: readonly string[];
}

interface Trusted {
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
  /** Path at the time of trust, as typed. */
  readonly path: string;
  /** Time of trust, ISO 8601. */
  readonly at: string;
}

interface ProgramPolicy {
  /** `trusted`: programs the user trusts; `listed`: those in `allowed`; `never`: none. */
  readonly typescript?: "trusted" | "listed" | "never";
  /** SHA-256 of programs, hexadecimal. */
  readonly allowed?: readonly string[];
}

const policyShape = struct("runbookPolicy", {
  typescript: {
    shape: oneOf(["trusted", "listed", "never"]),
    summary: "Which TypeScript runbooks may run",
    initial: "trusted",
  },
  allowed: {
    shape: listOf(
      matching("a SHA-256, 64 hexadecimal digits", /^[0-9a-f]{64}$/),
    ),
    summary: "Hashes of the allowed runbooks",
    initial: "[]",
  },
});

/**
 * Refuses an untrusted program.
 *
 * @param name Path of the program, as typed.
 * @throws {RefusedError} If it is not trusted.
 * @throws {ConfigError} If a trust file cannot be read.
 */
export async function checkTrust(
  name: string,
  text: string,
  places: TrustPlaces,
): Promise<void> {
  const sha256 = await sha256Hex(text);
  const isListed = await checkPolicies(name, sha256, places);
  if (isListed) return;
  const trusted = await readTrusted(places.trusted);
  if (trusted.some((one) => one.sha256 === sha256)) return;
  const isChanged = trusted.some(({ path }) => path === name);
  throw new RefusedError(
    isChanged
      ? `Cannot use "${name}": it has changed since you trusted it`
      : `Cannot use "${name}": you have not trusted it`,
    { hint: `Read it, then trust it with: osctl runbook trust ${name}` },
  );
}

/**
 * Refuses a program that the policies forbid.
 *
 * @param name Path of the program, as typed.
 * @returns True when a policy lists it, so that the user need not trust it.
 * @throws {RefusedError} If a policy forbids it.
 * @throws {ConfigError} If a policy cannot be read.
 */
export async function checkPolicies(
  name: string,
  sha256: string,
  places: TrustPlaces,
): Promise<boolean> {
  let isListed = false;
  for (const path of places.policies) {
    const { typescript = "trusted", allowed = [] } = await readPolicy(path);
    if (typescript === "never") {
      throw new RefusedError(
        `Cannot use "${name}": "${path}" forbids TypeScript runbooks`,
        { hint: "Write it as YAML" },
      );
    }
    if (typescript === "trusted") continue;
    if (!allowed.includes(sha256)) {
      throw new RefusedError(
        `Cannot use "${name}": it is not allowed by "${path}"`,
        { hint: `To allow it, add its hash there: ${sha256}` },
      );
    }
    isListed = true;
  }
  return isListed;
}

/** Records that the user trusts a program. Replaces entries of the same path. */
export async function addTrust(
  added: Trusted,
  places: TrustPlaces,
): Promise<void> {
  const before = await readTrusted(places.trusted);
  const others = before.filter(({ path, sha256 }) =>
    path !== added.path && sha256 !== added.sha256
  );
  const content = { v: 1, trusted: [...others, added] };
  await writeFileAtomic(
    places.trusted,
    `${JSON.stringify(content, null, 2)}\n`,
  );
}

async function readTrusted(path: string): Promise<readonly Trusted[]> {
  const expected = "a list of trusted runbooks";
  const text = await readBoundedText({ path, limitMib: 1, expected });
  if (text === undefined) return [];
  try {
    const { trusted } = JSON.parse(text);
    if (Array.isArray(trusted)) return trusted;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ConfigError(`Cannot read "${path}": it is not ${expected}`, {
    hint: "Remove it, and trust the runbooks again",
  });
}

async function readPolicy(path: string): Promise<ProgramPolicy> {
  const expected = "a policy for runbooks";
  const text = await readBoundedText({ path, limitMib: 1, expected });
  if (text === undefined) return {};
  const { documents } = readDocuments(text, path, { mergeKeys: false });
  const [first] = documents;
  if (first === undefined) return {};
  const place = { file: path, line: 1, column: 1 };
  const [problem] = fit(first.root, policyShape, place);
  if (problem !== undefined) {
    throw new ConfigError(
      `Cannot use the policy ${sourceProblemText(problem)}`,
    );
  }
  return coreValue(first.root) as ProgramPolicy;
}
