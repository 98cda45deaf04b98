import assert from "node:assert/strict";
import { base64, namesIn, readMode, testWith, toOutput } from "./_file.ts";

const [caOne, caTwo] = [pem("one"), pem("two")];

const present = `context: a
# mine
contexts:
    a:
        endpoints:
            - 10.0.0.1
        ca: ${caOne}
`;

const other = `context: new
contexts:
    a:
        endpoints:
            - 10.2.0.1
        ca: ${caTwo}
    new:
        endpoints:
            - 10.3.0.1
`;

function pem(name: string): string {
  return base64(
    `-----BEGIN CERTIFICATE-----\n${btoa(name)}\n-----END CERTIFICATE-----\n`,
  );
}

const still =
  'current osconfig context is still "a"; change it with: osctl config context <name>\n';

testWith(
  present,
  "config merge renames on a conflict, keeps the current context, and knows what it merged before",
  async ({ osctl, text, path, write, dir }) => {
    const from = await write("from", other);
    assert.deepEqual(toOutput(await osctl(`config merge ${from}`)), {
      out: "",
      err:
        `renamed osconfig context "a" -> "a-1"\nadded osconfig context "new"\n${still}`,
      status: 0,
    });
    const merged = `${present}    a-1:
        endpoints:
            - 10.2.0.1
        ca: ${caTwo}
    new:
        endpoints:
            - 10.3.0.1
`;
    assert.equal(await text(), merged);
    assert.equal(await readMode(path), 0o600);
    assert.equal(await Deno.readTextFile(`${path}.bak`), present);
    assert.equal(await Deno.readTextFile(from), other);

    const again = await osctl(`config merge ${from}`);
    assert.equal(
      again.err,
      `osconfig context "a-1" is unchanged\nosconfig context "new" is unchanged\n${still}`,
    );
    assert.equal(await text(), merged);
    assert.deepEqual(await namesIn(dir), ["config", "config.bak", "from"]);
  },
);

testWith(
  undefined,
  "config merge makes the file and sets a current context where there was none",
  async ({ osctl, text, path, write }) => {
    const from = await write("from", other);
    const { err, status } = await osctl(`config merge ${from}`);
    assert.equal(
      err,
      `added osconfig context "a"
added osconfig context "new"
current osconfig context is now "new"
`,
    );
    assert.equal(status, 0);
    assert.equal(await text(), other);
    assert.equal(await readMode(path), 0o600);
  },
);

testWith(
  present,
  "config merge updates a context of the same cluster in place",
  async ({ osctl, text, write }) => {
    const from = await write(
      "from",
      `contexts: {a: {endpoints: [10.0.0.9], ca: ${caOne}}}`,
    );
    const { err } = await osctl(`config merge ${from}`);
    assert.equal(err, `updated osconfig context "a": endpoints\n${still}`);
    assert.equal(await text(), present.replace("10.0.0.1", "10.0.0.9"));
  },
);

testWith(
  present,
  "config merge --on-conflict overwrite and skip do as they say",
  async ({ osctl, text, write }) => {
    const from = await write("from", other);
    const skip = await osctl(`config merge ${from} --on-conflict skip`);
    assert.equal(
      skip.err,
      'skipped osconfig context "a": another cluster uses the name\nadded osconfig context "new"\n' +
        still,
    );
    assert.match(await text(), /10\.0\.0\.1/);
    const over = await osctl(`config merge ${from} --on-conflict=overwrite`);
    assert.match(over.err, /^overwrote osconfig context "a"\n/);
    assert.match(await text(), /10\.2\.0\.1/);
  },
);

testWith(
  present,
  "config merge --on-conflict ask asks once for each name",
  async ({ osctl, text, write }) => {
    const from = await write("from", other);
    const line = `config merge ${from} --on-conflict ask`;
    const question =
      'another cluster uses the name "a": rename the new context, overwrite the old one, or skip (rename/overwrite/skip): \n';
    const unanswered = await osctl(line);
    assert.equal(
      unanswered.err,
      `${question}error: No answer to "another cluster uses the name "a": rename the new context, overwrite the old one, or skip": standard input has ended
hint: Use --on-conflict with rename, overwrite or skip
`,
    );
    assert.equal(unanswered.status, 5);
    assert.equal(await text(), present);

    const asked = await osctl(line, { stdin: "overwrite\n" });
    assert.equal(
      asked.err,
      `${question}overwrote osconfig context "a"\nadded osconfig context "new"\n${still}`,
    );
    assert.match(await text(), /10\.2\.0\.1/);
  },
);

testWith(
  present,
  "config merge --context takes only the context of that name",
  async ({ osctl, text, write }) => {
    const from = await write("from", other);
    const { err } = await osctl(`config merge ${from} --context new`);
    assert.equal(err, `added osconfig context "new"\n${still}`);
    assert.match(await text(), /^context: a$/m);
    assert.doesNotMatch(await text(), /10\.2\.0\.1/);
    const wrong = await osctl(`config merge ${from} --context nwe`);
    assert.equal(
      wrong.err,
      `error: Cannot use context "nwe": "${from}" has "a", "new"\nhint: Did you mean "new"?\n`,
    );
    assert.equal(wrong.status, 2);
  },
);

testWith(
  present,
  "config merge refuses a source that is not there, empty or wrong",
  async ({ osctl, text, dir, write }) => {
    const missing = await osctl(`config merge ${dir}/none`);
    assert.equal(
      missing.err,
      `error: Cannot read "${dir}/none": no such file\n`,
    );
    assert.equal(missing.status, 2);
    await assert.rejects(Deno.stat(`${dir}/none`), Deno.errors.NotFound);
    const empty = await osctl(`config merge ${await write("empty", "")}`);
    assert.equal(
      empty.err,
      `error: Cannot merge "${dir}/empty": it has no contexts\n`,
    );
    const wrong = await osctl(
      `config merge ${await write("wrong", "contexts: 1")}`,
    );
    assert.match(
      wrong.err,
      new RegExp(`^error: Cannot read "${dir}/wrong" at line 1`),
    );
    assert.equal(wrong.status, 2);
    assert.equal(await text(), present);
  },
);

testWith(
  present,
  "config merge from five at once loses none",
  async ({ osctl, text, write }) => {
    const sources = await Promise.all(
      [1, 2, 3, 4, 5].map((i) =>
        write(`from${i}`, `contexts: {m${i}: {endpoints: [10.0.1.${i}]}}`)
      ),
    );
    await Promise.all(sources.map((from) => osctl(`config merge ${from}`)));
    const added = [1, 2, 3, 4, 5].map((i) =>
      `    m${i}:\n        endpoints:\n            - 10.0.1.${i}\n`
    );
    assert.equal(await text(), present + added.join(""));
  },
);
