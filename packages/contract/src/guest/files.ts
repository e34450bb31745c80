import * as z from 'zod/mini';

/** Absent and null mean the same: clients send both. */
export const FileRequest = z.object({
  content: z.nullish(z.string()),
  isDirectory: z.nullish(z.boolean()),
  /** Octal text, applied only to newly created items. Default: 0644 for a file, 0755 for a directory. */
  permissions: z.nullish(z.string()),
});
export type FileRequest = z.infer<typeof FileRequest>;

/** File contents by path, relative to the directory that is written. */
export const TreeRequest = z.object({ files: z.nullish(z.record(z.string(), z.string())) });
export type TreeRequest = z.infer<typeof TreeRequest>;

/** Type of an archive (tar) with all that is below a folder, in a request or an answer. */
export const archiveType = 'application/x-tar';

export type FileDescription = {
  path: string;
  name: string;
  /** Octal, without a leading zero. */
  permissions: string;
  /** In bytes. */
  size: number;
  lastModified: string;
  /** User name, or the numeric id when the sandbox has no account with that id. */
  owner: string;
  group: string;
};

export type FileWithContent = FileDescription & { content: string };

/** A listing of one level has only `path` and `name`; a recursive listing also fills the other two. */
export type Subdirectory = {
  path: string;
  name: string;
  files?: FileDescription[];
  subdirectories?: Subdirectory[];
};

export type Directory = Required<Subdirectory>;

export type SuccessResponse = {
  /** Empty when the answer concerns no path. */
  path: string;
  message: string;
};
