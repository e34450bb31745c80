import * as z from 'zod/mini';

export const UploadInitiateRequest = z.object({ permissions: z.nullish(z.string()) });

export const maxPartNumber = 10_000;

/** Clients send more fields for each part (its size); only these two count. */
export const UploadCompleteRequest = z.object({
  parts: z
    .array(z.object({ partNumber: z.int().check(z.minimum(1), z.maximum(maxPartNumber)), etag: z.string() }))
    .check(z.minLength(1, 'name at least one part'), z.maxLength(maxPartNumber)),
});
export type UploadCompleteRequest = z.infer<typeof UploadCompleteRequest>;

export type UploadInitiated = { uploadId: string; path: string };

/** `etag` is the MD5 of the part in hexadecimal. */
export type PartReceipt = { partNumber: number; etag: string; size: number };

export type UploadedPart = PartReceipt & { uploadedAt: string };

export type UploadPartList = { uploadId: string; parts: UploadedPart[] };

export type MultipartUpload = {
  uploadId: string;
  /** Absolute. */
  path: string;
  initiatedAt: string;
  /** The mode as a number: 420 is 0644. */
  permissions: number;
  parts: Record<string, UploadedPart>;
};

export type UploadList = { uploads: MultipartUpload[] };
