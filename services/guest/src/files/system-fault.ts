// Turns errors of the operating system into answers: one table of statuses by operation, one of reasons by error code.
import { Fault, systemCode } from '../http/fault.ts';

type Statuses = { missing: number; badName: number; other: number };

const statusesByAction = {
  /** The first check of a path that is read. */
  look: { missing: 404, badName: 400, other: 500 },
  read: { missing: 404, badName: 400, other: 422 },
  write: { missing: 422, badName: 422, other: 422 },
  delete: { missing: 404, badName: 422, other: 422 },
  /** The tree routes: a path that is no directory is a bad request. */
  lookTree: { missing: 400, badName: 400, other: 422 },
  deleteTree: { missing: 422, badName: 422, other: 422 },
} as const satisfies Record<string, Statuses>;

export type FileAction = keyof typeof statusesByAction;

const verbs: Record<FileAction, string> = {
  look: 'read',
  read: 'read',
  write: 'write',
  delete: 'delete',
  lookTree: 'list',
  deleteTree: 'delete',
};

const reasonByCode: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist. List its folder to see what does',
  ENOTDIR: 'a part of the path is a file, not a directory. Check the path',
  EISDIR: 'it is a directory. Name a file inside it',
  EEXIST: 'a file is already there. Delete it first, or choose another name',
  ENOTEMPTY: 'the directory is not empty. Add ?recursive=true to delete what is in it, too',
  EACCES: 'the account of the sandbox may not do that. Change its permissions or choose another path',
  EPERM: 'the account of the sandbox may not do that. Change its owner or attributes, or choose another path',
  EROFS: 'the file system is read-only. Choose another path',
  EBUSY: 'it is in use, for example as a mount point. Unmount it, or choose another path',
  ENOSPC: 'no space is left. Delete files and try again',
  EDQUOT: 'the quota is used up. Delete files and try again',
  EFBIG: 'it would be larger than the file system allows. Split it',
  ENAMETOOLONG: 'a name in the path is longer than 255 bytes or the path longer than 4095. Shorten it',
  ELOOP: 'its symbolic links lead in a circle. Delete one of them',
  EMFILE: 'the guest has too many files open. Try again in a moment',
  ENFILE: 'the machine has too many files open. Try again in a moment',
  ETXTBSY: 'it is a program that runs. Stop it first',
  EAGAIN: 'it has nothing to read now and would make the caller wait. Read it with a process instead',
  ENXIO: 'nothing is at its other end. Read or write it with a process instead',
  EIO: 'the device failed. Try again; if it stays, replace the sandbox',
};

/** A Fault for an error of the operating system; any other error unchanged. */
export function systemFault(error: unknown, doing: FileAction, path: string): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof Fault || !isOfFiles(error)) return error;
  const reason = reasonByCode[code] ?? `the system answered ${code}. Check the path and try again`;
  return new Fault(statusOf(code, statusesByAction[doing]), `Cannot ${verbs[doing]} ${path}: ${reason}.`, {
    cause: error,
  });
}

/** Runs `work` and turns its system errors into Faults about `path`. */
export async function withFaults<T>(doing: FileAction, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw systemFault(error, doing, path);
  }
}

function statusOf(code: string, { missing, badName, other }: Statuses): number {
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing;
  return code === 'ENAMETOOLONG' ? badName : other;
}

/** Only file system calls count: the error of a broken connection also has a code. */
function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && !('address' in error) && systemCode(error) !== 'ECONNRESET';
}
