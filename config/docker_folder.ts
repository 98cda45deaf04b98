/** Folder of the Docker client configuration: contexts and registry logins. */

/**
 * Returns the folder: `$DOCKER_CONFIG`, else `.docker` in the user's home.
 *
 * @param env Reads an environment variable.
 */
export function dockerFolder(
  env: (name: string) => string | undefined,
): string {
  return env("DOCKER_CONFIG") ||
    `${env("HOME") || env("USERPROFILE") || ""}/.docker`;
}
