import { ConfigError } from "../../errors.ts";
import { product } from "../../talos.ts";

/** Tag and repository of a release. */
export interface ReleaseFacts {
  /** Version tag, such as `v0.2.0`. */
  readonly tag: string;
  /** Owner and name of the repository. */
  readonly repository: string;
}

/** URL of the files of a release. */
export function findDownloads({ tag, repository }: ReleaseFacts): string {
  return `https://github.com/${repository}/releases/download/${tag}`;
}

/**
 * Generates the Homebrew formula.
 *
 * @param release The release.
 * @param hashes SHA-256 of the executable by platform, such as `darwin-arm64`.
 * @throws {ConfigError} If a platform is missing.
 */
export function formula(
  release: ReleaseFacts,
  hashes: ReadonlyMap<string, string>,
): string {
  const source = (platform: string) => {
    const hash = hashes.get(platform);
    if (hash === undefined) {
      throw new ConfigError(`No executable for ${platform}`, {
        hint: `Build it with: deno task build --target ${platform}`,
      });
    }
    return `      url "${findDownloads(release)}/osctl-${platform}"
      sha256 "${hash}"`;
  };
  return `class Osctl < Formula
  desc "Client and runbook runner for Kubernetes on ${product.name}"
  homepage "https://github.com/${release.repository}"
  version "${release.tag.slice(1)}"
  license "Apache-2.0"

  on_macos do
    on_arm do
${source("darwin-arm64")}
    end
    on_intel do
${source("darwin-amd64")}
    end
  end

  on_linux do
    on_arm do
${source("linux-arm64")}
    end
    on_intel do
${source("linux-amd64")}
    end
  end

  def install
    bin.install Dir["osctl-*"].first => "osctl"
    generate_completions_from_executable(bin/"osctl", "completion", shells: [:bash, :zsh, :fish])
    (man1/"osctl.1").write Utils.safe_popen_read(bin/"osctl", "man")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/osctl version --client --short")
  end
end
`;
}
