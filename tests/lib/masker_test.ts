import assert from "node:assert/strict";
import { createMasker, maskError, maskValue } from "../../lib/masker.ts";
import { OsctlError } from "../../errors.ts";

const replace = (text: string) => text.replaceAll("hunter22", "******");

const key = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAabcdefghij
klmnopqrstuvwxyz
-----END PRIVATE KEY-----
`;

Deno.test("a masker hides a value, its base64 and its JSON form", () => {
  const { add, mask } = createMasker();
  add('pass"word\\123');
  assert.equal(
    mask(
      'plain pass"word\\123, json "pass\\"word\\\\123", base64 cGFzcyJ3b3JkXDEyMw==.',
    ),
    'plain ******, json "******", base64 ******==.',
  );
});

Deno.test("a masker hides each line of a key, and keeps the lines around it", () => {
  const { add, mask } = createMasker();
  add(new TextEncoder().encode(key));
  assert.equal(
    mask("x MC4CAQAwBQYDK2VwBCIEIAabcdefghij y\n  klmnopqrstuvwxyz"),
    "x ****** y\n  ******",
  );
  assert.equal(
    mask("-----BEGIN PRIVATE KEY-----\nother\n-----END PRIVATE KEY-----"),
    "-----BEGIN PRIVATE KEY-----\nother\n-----END PRIVATE KEY-----",
  );
  assert.equal(mask(`"${JSON.stringify(key).slice(1, -1)}"`), '"******\\n"');
});

Deno.test("a masker hides short values only where they are alone and are not word", () => {
  const { add, mask } = createMasker();
  add("secret1");
  add("done");
  add("abc");
  assert.equal(
    mask("a secret1 of 7, mysecret12, done, abc"),
    "a ****** of 7, mysecret12, done, abc",
  );
  add("secret12");
  assert.equal(mask("a secret12of 8"), "a ******of 8");
});

Deno.test("a masker hides the longer of two values", () => {
  const { add, mask } = createMasker();
  add("abcdefgh");
  add("abcdefghijkl");
  assert.equal(mask("abcdefghijkl abcdefgh"), "****** ******");
});

Deno.test("a masker hides values in other encodings, and in the middle of what was encoded", () => {
  const { add, mask } = createMasker();
  const secret = "it's p4ss/word+~?";
  add(secret);
  const around = ["", "k=", "ab", "the key: "].map((before) =>
    `${before}${secret} and more`
  );
  const encode = (text: string) => new TextEncoder().encode(text);
  for (
    const text of [
      `'${secret.replaceAll("'", "''")}'`,
      `"${secret}"`,
      `?q=${encodeURIComponent(secret)}&r`,
      encode(secret).toHex(),
      encode(secret).toHex().toUpperCase(),
      ...around.map((text) => encode(text).toBase64()),
      ...around.map((text) => encode(text).toBase64({ alphabet: "base64url" })),
    ]
  ) {
    const masked = mask(text);
    assert.ok(masked.includes("******"), text);
    // At most the characters that also have bits of what is beside.
    assert.ok(masked.replace("******", "").length < 32, masked);
  }
});

Deno.test("a masker hides each form of a value also in a first text that has nothing else", () => {
  const shortAndLong = "k3y!\nthe second line of it";
  for (
    const [secret, form] of [
      ["k3y!", "k3y!"],
      ["sécret", "s%C3%A9cret"],
      ["pass'word", "pass''word"],
      ["p4ssword", "cDRzc3dvcmQ"],
      ["p4ssword", "70347373776f7264"],
      // As base64 has it behind one and two other bytes.
      ["p4ssword", "A0c3N3b3Jk"],
      ["p4ssword", "wNHNzd29yZ"],
      ["p4s", "p4s"],
      ["ééé", "c3a9c3a9c3a9"],
      [shortAndLong, "k3y!"],
      [shortAndLong, "the second line of it"],
    ] as const
  ) {
    const { add, mask } = createMasker();
    add(secret);
    assert.equal(mask("a"), "a");
    // Below four characters none is hidden as it is.
    assert.equal(mask(form), form === "p4s" ? "p4s" : "******", form);
  }
});

Deno.test("a masker hides long values behind short ones, whichever text came first", () => {
  const { add, mask } = createMasker();
  add("a-secret-of-23-characters");
  add("token-1");
  assert.equal(mask("token-1"), "******");
  assert.equal(
    mask("a-secret-of-23-characters token-1"),
    "****** ******",
  );
  assert.equal(mask("token-1"), "******");
});

Deno.test("a masker hides what overlaps as one", () => {
  const { add, mask } = createMasker();
  add("abcdefgh1");
  add("fgh1234567");
  assert.equal(mask("x abcdefgh1234567 y abcdefgh1"), "x ****** y ******");
});

Deno.test("a masker hides passwords in URLs and private keys it was never told of", () => {
  const { mask } = createMasker();
  assert.equal(
    mask("proxy http://user:pa55word@proxy.example.com:3128 and http://a@b"),
    "proxy http://user:******@proxy.example.com:3128 and http://a@b",
  );
  const long = key.replace("klmnop", "A".repeat(40));
  for (const text of [long, JSON.stringify(long)]) {
    assert.ok(!mask(text).includes("AAAAAAAA"), mask(text));
    assert.ok(mask(text).includes("-----END PRIVATE KEY-----"));
  }
});

Deno.test("a masker takes no address in a database for one with a password", () => {
  const text = '["https://10.0.0.2:2380"],"name":"cp-1"}\x00\x00members\x00@';
  assert.equal(createMasker().mask(text), text);
});

Deno.test("a masker goes through long texts and many secrets quickly", () => {
  const { add, mask } = createMasker();
  for (let i = 0; i < 2_000; i++) add(`token-${i}-${"x".repeat(20)}`);
  const line = `node ok, nothing to see; ${"word ".repeat(20)}\n`;
  const text = line.repeat(2_000) + `token-1999-${"x".repeat(20)}`;
  assert.equal(mask(text), `${line.repeat(2_000)}******`);
});

Deno.test("a masker looks for some values only when a text comes, and once", () => {
  const { addLater, mask } = createMasker();
  let searches = 0;
  addLater(() => [`hunter${++searches}hunter`]);
  assert.equal(searches, 0);
  assert.equal(mask("it is hunter1hunter"), "it is ******");
  assert.equal(mask("it is hunter2hunter"), "it is hunter2hunter");
  assert.equal(searches, 1);
});

Deno.test("maskValue keeps bytes, numbers and symbols", () => {
  const symbol = Symbol("s");
  const bytes = new Uint8Array([1]);
  const value = { a: "hunter22", bytes, n: 1n, [symbol]: 2, none: undefined };
  assert.deepEqual(maskValue(value, replace), { ...value, a: "******" });
  const clean = { bytes, [symbol]: 2 };
  assert.equal(maskValue(clean, replace), clean);
});

Deno.test("maskValue hides them at any depth, and leaves the rest as it was", () => {
  const clean = { a: [1, "x"] };
  assert.equal(maskValue(clean, replace), clean);
  assert.deepEqual(
    maskValue({ a: ["hunter22!"], b: { hunter22: 1 } }, replace),
    { a: ["******!"], b: { "******": 1 } },
  );
});

Deno.test("maskError hides them in message, hint, stack and cause, and keeps the class", () => {
  const cause = new Error("it said hunter22");
  const error = new OsctlError("Cannot use hunter22", {
    hint: "Not hunter22",
    cause,
  });
  assert.equal(maskError(error, replace), error);
  assert.equal(error.message, "Cannot use ******");
  assert.equal(error.hint, "Not ******");
  assert.equal(cause.message, "it said ******");
  assert.ok(!`${error.stack}${cause.stack}`.includes("hunter22"));
});

Deno.test("maskError takes what is not an error, and causes in a circle", () => {
  assert.equal(maskError("hunter22", replace), "hunter22");
  const error = new Error("hunter22");
  error.cause = error;
  maskError(error, replace);
  assert.equal(error.message, "******");
});
