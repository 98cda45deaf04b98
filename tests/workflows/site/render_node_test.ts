import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import { loadSite } from "../../../workflows/site/load_site.ts";
import {
  makeRenderer,
  type RenderedNode,
} from "../../../workflows/site/render_node.ts";
import { someSecrets as secrets } from "../../config/generate/_bundle.ts";
import { fakeSiteEnvironment, smallSite, withFiles } from "./_site.ts";

/** Renders a node of a directory. */
async function render(
  files: Readonly<Record<string, string>>,
  host: string,
  check: (node: RenderedNode, folder: string) => void,
): Promise<void> {
  await withFiles(files, async (folder) => {
    const { site } = await loadSite(folder, fakeSiteEnvironment());
    const node = site.nodes.find((one) => one.host === host);
    assert.ok(node);
    check(
      await makeRenderer(site, secrets, fakeSiteEnvironment())(node),
      folder,
    );
  });
}

const label = (text: string) => `machine: {nodeLabels: {from: "${text}"}}\n`;

Deno.test("later folders and files win; empty documents and folders inside count for nothing more", async () => {
  const files = {
    "site.yaml": smallSite.replace("worker}", "worker, groups: [g, h]}") +
      "groups: {g: {}, h: {}}\n",
    "all/a.yaml": label("all"),
    "all/a/z.yml": label("all inside"),
    "all/b.yaml": `---\n---\n# nothing\n---\n${label("b")}---\n${label("c")}`,
    "all/c.yaml.bak": "broken: [",
    "worker/a.yaml": label("role"),
    "control-plane/a.yaml": label("other"),
    "group/h/a.yaml": label("h"),
    "group/g/a.yaml": label("g"),
    "node/w-1/a.yaml": label("node"),
  };
  await render(files, "w-1", ({ files, text }, folder) => {
    assert.deepEqual(files.map((path) => path.slice(folder.length + 1)), [
      "all/a/z.yml",
      "all/a.yaml",
      "all/b.yaml",
      "worker/a.yaml",
      "group/g/a.yaml",
      "group/h/a.yaml",
      "node/w-1/a.yaml",
    ]);
    assert.match(text, /nodeLabels:\n {8}from: node\n/);
  });
});

Deno.test("the installer image is the first patch", async () => {
  const text = `${smallSite}secureboot: true\nkernelArgs: [noapic, nolapic]\n`;
  await render({ "site.yaml": text }, "w-1", ({ text, version }) => {
    const image =
      "factory.talos.dev/metal-installer-secureboot/9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c:v1.13.9";
    assert.equal(version, "v1.13.9");
    assert.ok(text.includes(`        image: ${image}\n`));
  });
  const own = "machine: {install: {image: example.com/mine:v1}}\n";
  const files = { "site.yaml": text, "all/i.yaml": own };
  await render(files, "w-1", ({ text }) => {
    assert.ok(text.includes("        image: example.com/mine:v1\n"));
  });
});

Deno.test("the schematic of a file is computed", async () => {
  const files = {
    "topf.yaml": `${smallSite}schematicId: "@s/s.yaml"\n`,
    "s/s.yaml": "customization: {extraKernelArgs: [noapic, nolapic]}\n",
  };
  await render(files, "w-1", ({ schematicId }) => {
    assert.equal(
      schematicId,
      "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c",
    );
  });
});

Deno.test("labels of nodes are in the document that their version has", async () => {
  const text = `${smallSite}labels: {zone: a}\n`;
  await render({ "site.yaml": text }, "w-1", ({ text }) => {
    assert.match(text, /nodeLabels:\n {8}zone: a\n/);
  });
  const newer = text.replace("v1.13.9", "v1.14.0");
  await render({ "site.yaml": newer }, "w-1", ({ text }) => {
    assert.match(
      text,
      /kind: KubeNodeConfig\nnodeIP: {}\nlabels:\n {4}zone: a\n/,
    );
  });
});

Deno.test("expressions see the site and the node, and keep their types", async () => {
  const files = {
    "site.yaml": `${
      smallSite.replace("worker}", "worker, data: {mtu: 9000}}")
    }data: {dns: [1.1.1.1, 9.9.9.9]}\n`,
    "worker/net.yaml": [
      "machine:",
      "  nodeLabels:",
      '    host: "${{ site.clusterName }}-${{ node.host }}"',
      "    ip: ${{ node.ip }}",
      "  network:",
      "    nameservers: ${{ site.data.dns }}",
      "    interfaces:",
      '      - {interface: eth0, mtu: "${{ node.data.mtu }}"}',
      "",
    ].join("\n"),
  };
  await render(files, "w-1", ({ text }) => {
    assert.match(text, /nodeLabels:\n {8}host: lab-w-1\ncluster:/);
    assert.match(text, /mtu: 9000\n/);
    assert.match(text, /nameservers:\n {12}- 1.1.1.1\n {12}- 9.9.9.9\n/);
  });
});

Deno.test("an expression that is wrong is refused by line and column", async () => {
  const files = {
    "site.yaml": smallSite,
    "all/a.yaml": "machine:\n  nodeLabels: {a: '${{ node.hots }}'}\n",
  };
  await withFiles(files, async (folder) => {
    const { site } = await loadSite(folder, fakeSiteEnvironment());
    await assert.rejects(
      makeRenderer(site, secrets, fakeSiteEnvironment())(site.nodes[0]!),
      {
        name: "SiteError",
        message:
          `Cannot use the site: ${folder}/all/a.yaml:2:19: "node" has no "hots" (Did you mean "host"?)`,
      },
    );
  });
});

Deno.test("a TOPF patch may hold what looks like an expression", async () => {
  const files = {
    "topf.yaml": smallSite,
    "all/a.yaml": "machine: {env: {A: '${{ x }}'}}\n",
  };
  await render(files, "w-1", ({ text }) => {
    assert.ok(text.includes("A: ${{ x }}\n"), text);
  });
});

Deno.test("a JSON patch is refused by line and column", async () => {
  const files = {
    "site.yaml": smallSite,
    "all/a.yaml": "\n- {op: remove, path: /machine/install}\n",
  };
  await withFiles(files, async (folder) => {
    const { site } = await loadSite(folder, fakeSiteEnvironment());
    await assert.rejects(
      makeRenderer(site, secrets, fakeSiteEnvironment())(site.nodes[0]!),
      new ConfigError(
        `Cannot read "${folder}/all/a.yaml" at line 2, column 1: it is a JSON patch`,
        { hint: "Write it as a strategic merge patch" },
      ),
    );
  });
});

Deno.test("a link that leads back is refused, and links to files and folders are followed", async () => {
  const files = {
    "site.yaml": smallSite,
    "common/x.yaml": label("linked"),
    "worker/a.yaml": label("role"),
  };
  await withFiles(files, async (folder) => {
    await Deno.symlink(`${folder}/common`, `${folder}/worker/b`);
    const { site } = await loadSite(folder, fakeSiteEnvironment());
    const node = site.nodes[1]!;
    const { files } = await makeRenderer(site, secrets, fakeSiteEnvironment())(
      node,
    );
    assert.deepEqual(files, [
      `${folder}/worker/a.yaml`,
      `${folder}/worker/b/x.yaml`,
    ]);
    await Deno.symlink(`${folder}/worker`, `${folder}/common/back`);
    await assert.rejects(
      makeRenderer(site, secrets, fakeSiteEnvironment())(node),
      new ConfigError(
        `Cannot read "${folder}/worker/b/back": the link leads to a folder around it`,
      ),
    );
  });
});

Deno.test("templates see what TOPF's see, and later patches win over them", async () => {
  const files = {
    "topf.yaml": `${
      smallSite.replace("worker}", "worker, data: {disk: /dev/vdb}}")
    }data: {ntp: [a.example.com, b.example.com]}\n`,
    "all/a.yaml.tpl": `machine:
  nodeLabels:
    v: {{ .TalosVersion | quote }}
    role: {{ .Node.Role }}
    name: {{ printf "%s-%s" .ClusterName .Node.Host }}
  install:
    disk: {{ dig "disk" "/dev/sda" .Node.Data }}
  time:
    servers:
{{- range .Data.ntp }}
      - {{ . }}
{{- end }}
`,
    "all/b.yaml": "machine: {nodeLabels: {role: mine}}\n",
  };
  await render(files, "w-1", ({ text }) => {
    assert.match(text, /disk: \/dev\/vdb\n/);
    assert.match(text, /name: lab-w-1\n {8}role: mine\n {8}v: v1.13.9\n/);
    assert.match(text, /- a.example.com\n {12}- b.example.com\n/);
  });
});

Deno.test("a template that is wrong is refused by line and column", async () => {
  const files = {
    "topf.yaml": smallSite,
    "all/a.yaml.tpl": "machine:\n  nodeLabels: {a: {{ .Node.Hots }}}\n",
  };
  await withFiles(files, async (folder) => {
    const { site } = await loadSite(folder, fakeSiteEnvironment());
    await assert.rejects(
      makeRenderer(site, secrets, fakeSiteEnvironment())(site.nodes[0]!),
      {
        name: "ConfigError",
        message:
          `Cannot read "${folder}/all/a.yaml.tpl" at line 2, column 27: There is no key "Hots"`,
        hint: 'Did you mean "Host"?',
      },
    );
  });
});
