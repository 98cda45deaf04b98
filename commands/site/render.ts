import { renderAdminOsconfig } from "../../config/generate/client.ts";
import { trimSlashes } from "../../lib/files/atomic_file.ts";
import { writeFilesAtomic } from "../../lib/files/file_set.ts";
import { isControlPlane } from "../../workflows/site/rollout.ts";
import {
  type CanonicalSchematic,
  registerSchematic,
} from "../../workflows/upgrade/schematic.ts";
import {
  type Command,
  text,
  textual,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { renderNodes, siteInputs } from "./_site.ts";

/** A rendered configuration. */
type RenderRow = {
  readonly node: string;
  /** The configuration, YAML; secrets are masked when it is printed. */
  readonly configuration: string;
} | {
  readonly node: string;
  readonly path: string;
} | {
  readonly osconfig: string;
};

const inputs = {
  ...siteInputs,
  output: text("directory for osconfig and files <host>.yaml, mode 0600", {
    short: "o",
    complete: "directories",
  }),
  register: toggle(
    "send the schematics of the nodes to their image factories, which build images only of known ones",
  ),
};

export const command = {
  summary: "Render the configurations of the nodes of a site",
  description:
    `Generates the configuration of every node, or of those given with --nodes and --selector, from the secrets and the
patches of the site. Secrets in the output are masked; with --output, complete configurations are written to files, and
to osconfig a client configuration of an administrator, valid for a year, with the control planes as endpoints.
No node is contacted. The ids of schematics are computed without a network; with --register, the schematics that the site
describes are sent to their image factories, which build images only of those that they know.`,
  inputs,
  examples: [
    "site render --nodes cp-1",
    "site render --nodes @workers -o out",
    "site render -o out --register",
  ],
  output: "own",
  view: textual<RenderRow>((row) => {
    if ("osconfig" in row) return `${row.osconfig}\n`;
    return "path" in row
      ? `${row.path}\n`
      : `# ${row.node}\n${row.configuration}`;
  }),
  writes: true,
  async *run(context) {
    const { input: { output, register }, note, signal } = context;
    const { site, bundle, rendered } = await renderNodes(context);
    const files = [];
    const schematics = new Map<
      string,
      { readonly factory: string; readonly schematic: CanonicalSchematic }
    >();
    for (const { node, text, schematic } of rendered) {
      if (schematic !== undefined) {
        const { factory } = node;
        schematics.set(`${factory} ${schematic.id}`, { factory, schematic });
      }
      if (output === undefined) {
        yield { node: node.host, configuration: text };
      } else {
        const path = `${trimSlashes(output)}/${node.host}.yaml`;
        files.push({ node: node.host, path, content: text });
      }
    }
    if (output !== undefined) {
      const osconfig = `${trimSlashes(output)}/osconfig`;
      const content = await renderAdminOsconfig({
        clusterName: site.clusterName,
        secrets: bundle,
        now: context.environment.now(),
        endpoints: site.nodes.filter(isControlPlane)
          .map(({ host, ip = host }) => ip),
      });
      await writeFilesAtomic([...files, { path: osconfig, content }], {
        overwrite: true,
      });
      yield* files.map(({ node, path }) => ({ node, path }));
      yield { osconfig };
    }
    for (const { factory, schematic } of register ? schematics.values() : []) {
      await registerSchematic(factory, schematic, signal);
      note(`Registered schematic ${schematic.id} with ${factory}`);
    }
  },
} satisfies Command<RenderRow, Values<typeof inputs>>;
