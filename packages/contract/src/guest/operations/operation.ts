// One operation of the guest's API: its inputs and answers, and the helpers that the tables beside this file share.
import type * as z from 'zod/mini';

export type GuestParameter = {
  type: 'string' | 'integer' | 'number' | 'boolean';
  description: string;
  required?: true;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  default?: string | number | boolean;
};

/** A JSON body of this schema, or a form that contains a file, or a body of another content type. */
export type GuestBody = { json: z.ZodMiniType; optional?: true; orUpload?: true; types?: readonly string[] } | 'upload';

/** One of several JSON forms, or a body of another content type. */
export type GuestAnswer = { json: readonly z.ZodMiniType[]; types?: readonly string[] } | { types: readonly string[] };

export type GuestOperation = {
  tag: string;
  summary: string;
  /** Descriptions of the `{…}` parts of the path that need more than their name. */
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, GuestParameter>>;
  body?: GuestBody;
  answer?: GuestAnswer;
  /** Statuses besides that of the answer, 500, and the statuses common to all routes. */
  statuses: readonly number[];
  /** Only for the runner, which signs the request. */
  signed?: true;
};

/** Makes the operations of one tag. */
export const operationWithTag =
  (tag: string) =>
  (operation: Omit<GuestOperation, 'tag'>): GuestOperation => ({ tag, ...operation });

export const anyPath =
  'As it is (relative to the working directory), with a second slash before it or percent-encoded from its slash on (absolute), or with ~.';
export const treePath = 'Absolute, with or without its first slash.';

export const json = (...schemas: z.ZodMiniType[]): GuestAnswer => ({ json: schemas });

export const flag = (description: string, otherwise = false): GuestParameter => ({
  type: 'boolean',
  description,
  default: otherwise,
});

export const text = (description: string): GuestParameter => ({ type: 'string', description });
