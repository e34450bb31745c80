// Brand: every name that carries the deployment's brand is built here, so a branded deployment is configuration alone.
// The names of environment variables are in `../branded-variable.ts`, which the guest loads without zod.
import { z } from 'zod';

export const Brand = z.object({
  long: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]{0,30}$/, 'starts with a capital letter, then letters and digits')
    .default('Service')
    .describe('Word used in header names (X-<Long>-…, <Long>-Version).'),
  short: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'lower-case letters and digits')
    .default('service')
    .describe('Word used in environment names, query names, key prefixes and image namespaces.'),
});
export type Brand = z.infer<typeof Brand>;

export const defaultBrand: Brand = Brand.parse({});

export interface HeaderNames {
  readonly authorization: string;
  readonly workspace: string;
  readonly version: string;
  readonly threadId: string;
  readonly previewToken: string;
  /** Of a callback. */
  readonly signature: string;
  readonly timestamp: string;
  readonly deliveryId: string;
  /** Of an asynchronous call: in its answer, and in each run of it beside the number of the run. */
  readonly invocationId: string;
  readonly invocationRun: string;
}

/** Header names as a person writes them; compare in lower case, as Node gives them. */
export function headerNames(brand: Brand): HeaderNames {
  return {
    authorization: `X-${brand.long}-Authorization`,
    workspace: `X-${brand.long}-Workspace`,
    version: `${brand.long}-Version`,
    threadId: `X-${brand.long}-Thread-Id`,
    previewToken: `X-${brand.long}-Preview-Token`,
    signature: `X-${brand.long}-Signature`,
    timestamp: `X-${brand.long}-Timestamp`,
    deliveryId: `X-${brand.long}-Delivery-Id`,
    invocationId: `X-${brand.long}-Invocation-Id`,
    invocationRun: `X-${brand.long}-Invocation-Run`,
  };
}

/** Name of the query parameter and of the cookie that hold a preview's token. */
export const previewTokenParameter = ({ short }: Brand): string => `${short}_preview_token`;
