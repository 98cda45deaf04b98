import type { Cursor } from "../cursor.ts";
import { examplePemCertificate } from "../example_material.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const imageVerification = documentKind(
  imageVerificationRules,
)`
ImageVerificationConfig | since 1.13 | Verification of image signatures
  = {"rules": [{"image": "registry.k8s.io/*", "keyless": {"issuer": "https://accounts.example.com",
    "subject": "release@example.com"}}, {"image": "registry.example.org/*",
    "publicKey": {"certificate": "${examplePemCertificate}"}}, {"image": "*", "deny": true}]}
  rules            | list(whole), key image | Verification rules, in order
    image          | text, required | Pattern of image names, without tag; the first matching rule applies
      = "registry.k8s.io/*"
    skip           | boolean, optional, default false | Skips verification
    deny           | boolean, optional, default false | Denies pulling
    keyless        | struct, optional | Keyless verification
      issuer       | text, required | URL of the OIDC issuer | "https://accounts.example.com"
      subject      | text | Expected subject | "release@example.com"
      subjectRegex | text | Regular expression for the subject | ".*@example[.]com"
    publicKey      | struct, optional | Public key verification
      certificate  | text, required | Certificate, PEM
`;

function* imageVerificationRules(document: Cursor): Iterable<Problem> {
  for (const rule of document.get("rules").items()) yield* ruleRules(rule);
}

function* ruleRules(rule: Cursor): Iterable<Problem> {
  yield* patternRules(rule.get("image"));
  const [skip, deny, keyless, key] = [
    rule.get("skip"),
    rule.get("deny"),
    rule.get("keyless"),
    rule.get("publicKey"),
  ] as const;
  const verifiers = [keyless, key].filter(({ node }) => node !== undefined);
  const lax = [skip, deny].filter((place) => place.truth() === true);
  if (lax.length === 2) {
    yield deny.error('Both "skip" and "deny" are true', "Choose one of them");
  }
  if (lax.length > 0 && verifiers.length > 0) {
    yield rule.error(
      "A rule that skips or denies does not verify signatures",
      'Remove "keyless" and "publicKey"',
    );
  }
  if (lax.length === 0 && verifiers.length === 0) {
    yield rule.error(
      "The rule has no action",
      'Give one of "keyless", "publicKey", "skip" and "deny"',
    );
  }
  if (verifiers.length === 2) {
    yield key.error(
      'Both "keyless" and "publicKey" are given',
      "Choose one of them",
    );
  }
  const subjects = ["subject", "subjectRegex"].map((name) =>
    keyless.get(name).text() ?? ""
  );
  if (keyless.node !== undefined && subjects.join("") === "") {
    yield keyless.get("subject").error(
      'Neither "subject" nor "subjectRegex" is given',
      "Give one of them",
    );
  }
}

function* patternRules(image: Cursor): Iterable<Problem> {
  const text = image.text() ?? "";
  const path = text.slice(text.indexOf("/") + 1);
  if (text.includes("@") || (text.includes("/") && path.includes(":"))) {
    yield image.warning(
      `"${text}" has a tag or digest, which image patterns cannot have`,
      "Write registry and name only",
    );
  }
  if (!text.includes("/") && text !== "*" && text !== "") {
    yield image.warning(
      `"${text}" has no registry`,
      `Write docker.io/${text}; image names are expanded before they are matched`,
    );
  }
}
