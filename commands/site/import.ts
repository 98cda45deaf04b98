import { OsctlError } from "../../errors.ts";
import { trimSlashes } from "../../lib/files/atomic_file.ts";
import { sourceProblemText } from "../../workflows/runbooks/language/problem.ts";
import { importTalconfig } from "../../workflows/site/talhelper/import_talhelper.ts";
import { SiteError } from "../../workflows/site/site_error.ts";
import { makeSite } from "../../workflows/site/make_site.ts";
import { type Command, lines, text, type Values, word } from "../_kit/mod.ts";
import { formatComparison } from "./_comparison_text.ts";
import { compareLive } from "./_live.ts";
import { type InitRow, writeSite } from "./_new_site.ts";
import { siteEnvironment, siteSchemaText } from "./_site.ts";

const inputs = {
  file: word("talconfig.yaml of talhelper", { complete: "yaml" }),
  output: text("directory to create", {
    short: "o",
    shown: "name of the cluster",
    complete: "directories",
  }),
};

export const command = {
  summary: "Import a site from talhelper",
  description:
    `Reads a talconfig.yaml with its environment (talenv.yaml, talenv.sops.yaml), its secrets (talsecret.yaml,
talsecret.sops.yaml) and its patches, and writes a site that renders to the same configurations. What has no equal in a
site is reported by key and line, with what to do. Existing files are not changed. At the end, the site is compared with
the cluster of the context, if that has the same secrets.`,
  inputs,
  examples: [
    "site import talconfig.yaml",
    "site import home/talconfig.yaml -o lab",
  ],
  output: "own",
  view: lines(({ path }) => path),
  writes: true,
  async *run(context) {
    const { input: { file, output }, note } = context;
    const environment = siteEnvironment(context);
    const imported = await importTalconfig(file, environment);
    const folder = trimSlashes(output ?? imported.name);
    const site = await makeSite(
      { ...imported, folder, schema: siteSchemaText() },
      environment,
    );
    if (imported.unset.length > 0) throw new SiteError(imported.unset);
    const lines = new Set(imported.problems.map(sourceProblemText));
    for (const line of lines) note(`warning: ${line}`);
    yield* await writeSite(folder, site, note);
    try {
      const live = await compareLive({ ...context, input: { site: folder } });
      for (const { row } of live.nodes) note(formatComparison(row).trimEnd());
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      note(`Not compared with a cluster: ${error.message}`);
    }
  },
} satisfies Command<InitRow, Values<typeof inputs>>;
