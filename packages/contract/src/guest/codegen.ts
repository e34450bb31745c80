import * as z from 'zod/mini';

export const ApplyEditRequest = z.object({
  /** Changed parts of the file, with comments such as `// ... existing code ...` for unchanged parts. */
  codeEdit: z.string().check(z.minLength(1)),
  /** Replaces the model that the operator configured. */
  model: z.optional(z.string().check(z.minLength(1))),
});
export type ApplyEditRequest = z.infer<typeof ApplyEditRequest>;

export type ApplyEditResponse = {
  success: boolean;
  path: string;
  /** Empty for a file that did not exist. */
  originalContent: string;
  updatedContent: string;
  provider: string;
  message: string;
};

export type RankedFile = { path: string; content: string; score: number };

export type RerankingResponse = { success: boolean; files: RankedFile[]; message: string };
