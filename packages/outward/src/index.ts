export { OutwardError, type OutwardReason } from './outward-error.ts';
export { createPost, type Post, type PostedRequest, type PostOptions } from './post.ts';
