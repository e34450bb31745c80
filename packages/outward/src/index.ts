export { createGet, type Get, type GetOptions, type GotAnswer } from './get.ts';
export { createOpenLookup, type OpenLookup, type OpenLookupOptions } from './open-lookup.ts';
export { OutwardError, type OutwardReason } from './outward-error.ts';
export { createPost, type Post, type PostedRequest, type PostOptions } from './post.ts';
