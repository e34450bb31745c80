import type { HandlerTable } from '../http/call.ts';

export const filesHandlers = {
  fileRead: () => import('./read-path.ts').then(({ readPath }) => readPath),
  fileWrite: () => import('./write-path.ts').then(({ writePath }) => writePath),
  fileDelete: () => import('./answer-delete.ts').then(({ deleteFile }) => deleteFile),
  treeRead: () => import('./read-tree.ts').then(({ readTree }) => readTree),
  treeWrite: () => import('./write-tree.ts').then(({ writeTree }) => writeTree),
  treeDelete: () => import('./answer-delete.ts').then(({ deleteTree }) => deleteTree),
} satisfies HandlerTable;
