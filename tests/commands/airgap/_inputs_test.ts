import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";

const worker = `
machine:
  type: worker
  install: {image: "reg.example.com/metal-installer/0a:v1.12.1"}
  kubelet: {image: "reg.example.com:5000/kubelet:v1.34.1-fat"}
`;

Deno.test("images are those of files, directories and lists, with those of upgrades", async () => {
  const files = {
    "w.yaml": worker,
    "more/w2.yml": worker.replace("0a:", "0b:"),
    "more/notes.txt": "no configuration",
    "list": `
# what else is there
quay.io/a/b:v1   # a comment
nginx
`,
  };
  await withFolder(files, async (folder) => {
    const lines = async (line: string, stdin = "") => {
      const { out, err, status } = await run(
        `airgap images --list ${line}`,
        {},
        { stdin },
      );
      assert.equal(status, 0, err);
      return out.trim().split("\n");
    };
    const pause = "registry.k8s.io/pause:3.10.1";
    const kubelet = "reg.example.com:5000/kubelet";
    assert.deepEqual(await lines(`${folder}/w.yaml ${folder}/more`), [
      "reg.example.com/metal-installer/0a:v1.12.1",
      "reg.example.com/metal-installer/0b:v1.12.1",
      `${kubelet}:v1.34.1-fat`,
      pause,
    ]);
    const upgrade = "--to-os v1.14.0 --to-kubernetes 1.35.0";
    assert.deepEqual(await lines(`- ${upgrade}`, worker), [
      "reg.example.com/metal-installer/0a:v1.12.1",
      "reg.example.com/metal-installer/0a:v1.14.0",
      `${kubelet}:v1.34.1-fat`,
      `${kubelet}:v1.35.0-fat`,
      pause,
      "registry.k8s.io/pause:3.10.2",
    ]);
    assert.deepEqual(await lines(`--image-list ${folder}/list`), [
      "docker.io/library/nginx:latest",
      "quay.io/a/b:v1",
    ]);
  });
});

Deno.test("image lists: refuses a line that names no image", async () => {
  const files = {
    "other.yaml": "kind: ConfigMap\napiVersion: v1\n",
    "empty/x.txt": "",
    "list": "# nothing\n",
    "wrong": "quay.io/a:v1\nno image\n",
    "ca": "no certificate",
  };
  await withFolder(files, async (folder) => {
    for (
      const [line, message] of [
        [`${folder}/other.yaml`, 'Nodes have no documents of apiVersion "v1"'],
        [`${folder}/empty`, 'empty" contains no configuration files'],
        [`${folder}/none.yaml`, "none.yaml"],
        [`--image-list ${folder}/list`, 'list" contains no images'],
        [
          `--image-list ${folder}/wrong`,
          '"no image" is not an image name',
        ],
        ["--to-os newest", "must be a version such as v1.35.0"],
        [
          `--image-list ${folder}/list2 --ca-file ${folder}/ca --digests`,
          "list2",
        ],
      ] as const
    ) {
      const { err, status } = await run(`airgap images ${line}`);
      assert.ok(err.includes(message), err);
      assert.equal(status, 2);
    }
    await Deno.writeTextFile(`${folder}/list`, "quay.io/a:v1");
    const { err, status } = await run(
      `airgap images --image-list ${folder}/list --ca-file ${folder}/ca --digests`,
    );
    assert.match(err, /^error: "\S+\/ca" contains no certificate\nhint: /);
    assert.equal(status, 2);
  });
});
