import { ConfigError } from "../../errors.ts";
import { formatCount } from "../../lib/text/count.ts";
import {
  checkSite,
  formatSiteProblem,
  fromError,
  type SiteProblem,
} from "../../workflows/site/check_site.ts";
import { type Command, type Context, lines, type Values } from "../_kit/mod.ts";
import { openSite, siteEnvironment, siteInputs } from "./_site.ts";

/** A checked site. */
interface SiteCheckRow {
  readonly site: string;
  readonly valid: boolean;
  /** Number of nodes; null if the file is not valid. */
  readonly nodes: number | null;
  readonly problems: readonly SiteProblem[];
}

const inputs = siteInputs;

export const command = {
  summary: "Check a site",
  description:
    `Checks everything that can be checked without a cluster: keys and values of the file, secrets, patches, templates and
expressions, and the configuration of every node against all rules of its OS version. Problems are reported with file,
line and column on standard error; the status is then 2. Warnings do not change the status.`,
  inputs,
  examples: ["site check", "site check --site lab -o json"],
  view: lines(({ site, valid, nodes }) =>
    valid
      ? `${site} is valid, ${formatCount(nodes ?? 0, "node")}`
      : `${site} is not valid`
  ),
  async *run(context) {
    const row = await check(context);
    for (const problem of row.problems) {
      context.note(formatSiteProblem(problem));
    }
    yield row;
    if (row.valid) return;
    const errors = row.problems.filter(({ level }) => level !== "warning");
    throw new ConfigError(`Found ${formatCount(errors.length, "problem")}`);
  },
} satisfies Command<SiteCheckRow, Values<typeof inputs>>;

async function check(
  context: Context<Values<typeof inputs>>,
): Promise<SiteCheckRow> {
  const { input: { site: name } } = context;
  try {
    const { site } = await openSite(context);
    const problems = await checkSite(site, siteEnvironment(context));
    const valid = problems.every(({ level }) => level === "warning");
    return { site: name, valid, nodes: site.nodes.length, problems };
  } catch (error) {
    const problems = fromError(error);
    // What is in no file of the site, such as the site itself, is no problem in it.
    if (problems.every(({ file }) => file === null)) throw error;
    return { site: name, valid: false, nodes: null, problems };
  }
}
