import * as z from 'zod/mini';

/** Absent and null mean the same: clients send both. */
export const FileRequest = z.object({
  content: z.nullish(z.string()),
  isDirectory: z.nullish(z.boolean()),
  /** Octal text. Only what is created takes it: 0644 for a file, 0755 for a directory when absent. */
  permissions: z.nullish(z.string()),
});
export type FileRequest = z.infer<typeof FileRequest>;

/** Contents by path below the directory that is written. */
export const TreeRequest = z.object({ files: z.nullish(z.record(z.string(), z.string())) });
export type TreeRequest = z.infer<typeof TreeRequest>;

export type FileDescription = {
  path: string;
  name: string;
  /** Octal, without a leading zero. */
  permissions: string;
  /** In bytes. */
  size: number;
  lastModified: string;
  /** A name, or the number when the sandbox has no account of that number. */
  owner: string;
  group: string;
};

export type FileWithContent = FileDescription & { content: string };

/** One level: `path` and `name` alone. A recursive listing fills the other two. */
export type Subdirectory = {
  path: string;
  name: string;
  files?: FileDescription[];
  subdirectories?: Subdirectory[];
};

export type Directory = Required<Subdirectory>;

export type SuccessResponse = {
  /** Empty where there is none. */
  path: string;
  message: string;
};
