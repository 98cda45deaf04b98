import assert from "node:assert/strict";
import { parse } from "yaml";
import { withLiveSite } from "../commands/site/_live.ts";
import { needs } from "../_needs.ts";
import { withShell } from "./_shell.ts";

const page = await Deno.readTextFile(
  new URL("../../docs/site-ci.md", import.meta.url),
);
const [actions, gitlab] = [...page.matchAll(/^````yaml\n([\s\S]*?)^````$/gm)]
  .map(([, text = ""]) => parse(text));
const compare = actions.jobs.diff.steps.find((
  { name }: { readonly name?: string },
) => name === "Compare").run as string;

/** Shell steps of the page, as CI systems run them. */
const steps = {
  "GitHub Actions": `set -e
RUNNER_TEMP=$HOME/temp
mkdir -p "$RUNNER_TEMP"
OSCONFIG_TEXT=$(cat known)
${compare}
[ ! -e "$RUNNER_TEMP/osconfig" ]`,
  GitLab: `set -eo pipefail
OSCONFIG_FILE=$HOME/known CI_API_V4_URL=https://gitlab.example.com/api/v4
CI_PROJECT_ID=1 CI_MERGE_REQUEST_IID=2 COMMENT_TOKEN=t
curl() { printf '%s\\n' "$@" > sent; }
${gitlab["site-diff"].script.join("\n")}
grep -qx 'body=<comment.md' sent
grep -qx https://gitlab.example.com/api/v4/projects/1/merge_requests/2/notes sent`,
};

for (const [system, script] of Object.entries(steps)) {
  Deno.test(
    `docs/site-ci.md: the shell steps for ${system} write the comment, and fail if the site is not valid`,
    needs("bash"),
    () =>
      withLiveSite(async ({ osctl, folder, edit, osconfig }) => {
        await edit("known", await Deno.readTextFile(osconfig));
        const shell = {
          folder,
          osctl: (words: readonly string[]) => osctl(words),
          sleep: () => Promise.resolve(),
        };
        await withShell(shell, async (type) => {
          const job = () => type(`( ${script} )`);
          const comment = () => Deno.readTextFile(`${folder}/comment.md`);
          const same = await job();
          assert.equal(same.status, 0, same.out + same.err);
          assert.match(await comment(), /^Status 0\n```diff\ncp-1 .*equal\n/);
          await Deno.mkdir(`${folder}/worker`);
          await edit("worker/a.yaml", "machine: {sysctls: {a: '1'}}\n");
          const changed = await job();
          assert.equal(changed.status, 0, changed.out + changed.err);
          assert.match(
            await comment(),
            /^Status 6\n```diff\n[^]*^w-1 [^]*^\s*\+.*sysctls:$[^]*\n```\n$/m,
          );
          await edit("worker/a.yaml", "machine: {sysctl: {a: '1'}}\n");
          const wrong = await job();
          assert.equal(wrong.status, 2, wrong.out + wrong.err);
        });
      }),
  );
}
