import * as z from 'zod/mini';

export const ApplyEditRequest = z.object({
  /** The changed parts, with comments such as `// ... existing code ...` for what stays. */
  codeEdit: z.string().check(z.minLength(1)),
  /** Instead of the one that the operator configured. */
  model: z.optional(z.string().check(z.minLength(1))),
});
export type ApplyEditRequest = z.infer<typeof ApplyEditRequest>;

export type ApplyEditResponse = {
  success: boolean;
  path: string;
  /** Empty for a file that was not there. */
  originalContent: string;
  updatedContent: string;
  provider: string;
  message: string;
};

export type RankedFile = { path: string; content: string; score: number };

export type RerankingResponse = { success: boolean; files: RankedFile[]; message: string };
