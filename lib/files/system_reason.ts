/** Readable reasons for system errors. */

/** Codes of system calls, as the runtime names them. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is a file, not a directory",
  EEXIST: "it already exists",
  ENOTEMPTY: "the directory is not empty",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file is too large",
  EROFS: "the file system is read-only",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  EIO: "input/output error",
  EBUSY: "it is in use",
  ETXTBSY: "it is a running program",
  EXDEV: "it is on another file system",
  EINVAL: "the file system does not allow it",
  EOPNOTSUPP: "the file system does not support it",
  EPIPE: "the reader closed the pipe",
};

/**
 * Explains why a system call failed.
 *
 * @param error Error of the runtime; its own text, without numbers, is the fallback.
 */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return reasons[code] ??
    error.message.replace(/ ?\(os error \d+\)/, "").replace(/: \w+ '.*'$/, "");
}
