/**
 * The container image: built by a real Docker engine from the built executable, read by skopeo, and run as the workflows
 * of fleets run it. Beside docker.ts, as it needs the same: `deno test -A tests/e2e/image.ts`, after `deno task build`.
 *
 * @module
 */

import assert from "node:assert/strict";
import { parse } from "yaml";
import { writeImageContext } from "../../tools/packaging/image.ts";
import { engineNeeds, startEngine } from "../_docker.ts";
import { withFolder } from "../_folder.ts";
import { executable, needs } from "../_needs.ts";
import { run as runHere } from "../_run.ts";
import { osctl } from "./_osctl.ts";

const image = "osctl:test";

const fleet = `apiVersion: osctl/v1
kind: Fleet
name: june
image: ${image}
waves: [{ name: all, clusters: [lab] }]
inputs: { version: v1.14.1 }
`;

interface Template {
  readonly container?: {
    readonly image: string;
    readonly command: readonly string[];
  };
}

Deno.test({
  name: "the image has osctl and what it needs, and workflows of fleets run it",
  ...needs(executable, ...engineNeeds, "docker", "skopeo"),
  async fn() {
    await using engine = await startEngine();
    await withFolder({ "fleet.yaml": fleet }, async (folder) => {
      const run = async (command: string, ...args: readonly string[]) => {
        const { code, stdout, stderr } = await new Deno.Command(command, {
          args: [...args],
          env: { DOCKER_HOST: engine.host, DOCKER_BUILDKIT: "0" },
        }).output();
        const decoder = new TextDecoder();
        return {
          code,
          out: decoder.decode(stdout),
          err: decoder.decode(stderr),
        };
      };
      const start = (flags: readonly string[], ...words: readonly string[]) =>
        run(
          "docker",
          "run",
          "--rm",
          "--network=none",
          ...flags,
          image,
          ...words,
        );

      await writeImageContext(osctl, `${folder}/image`, {
        tag: "v0.0.0",
        repository: "osctl/osctl",
      });
      const built = await run(
        "docker",
        "build",
        "-t",
        image,
        `${folder}/image`,
      );
      assert.equal(built.code, 0, built.err);

      // With a root that cannot be written, as in a hardened pod.
      const { code, out: said, err } = await start(
        ["--read-only"],
        ...["version", "--client", "--short"],
      );
      assert.match(said, /^Client:\nosctl v\d+\.\d+\.\d+/, err);
      assert.equal(code, 0);

      const archive = `${folder}/image.tar`;
      await run("docker", "save", "-o", archive, image);
      const read = await run(
        "skopeo",
        "inspect",
        "--config",
        `docker-archive:${archive}`,
      );
      const { config } = JSON.parse(read.out);
      assert.deepEqual(
        [config.User, config.Entrypoint, config.WorkingDir],
        ["65532:65532", ["/usr/local/bin/osctl"], "/home/osctl"],
      );

      const { out } = await runHere(
        `runbook render --to argo --clusters ${folder}/fleet.yaml rolling-upgrade`,
        {},
      );
      const templates: readonly Template[] = parse(out).spec.templates;
      const containers = templates.flatMap(({ container }) => container ?? []);
      assert.ok(containers.length >= 2);
      const commands = new Set(
        containers.map(({ command }) => command.join(" ")),
      );
      for (const command of commands) {
        const [program = "", ...words] = command.split(" ");
        const { code, err } = await start(
          [`--entrypoint=${program}`],
          ...words,
          "--help",
        );
        assert.equal(code, 0, err);
      }
    });
  },
});
