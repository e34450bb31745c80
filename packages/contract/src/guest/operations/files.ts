import { archiveType, FileRequest, TreeRequest } from '../files.ts';
import { ChangeShape, DirectoryShape, FileWithContentShape } from '../mcp.ts';
import { anyPath, flag, json, operationWithTag, text, treePath } from './operation.ts';

const operation = operationWithTag('Files');

export const filesOperations = {
  treeRead: operation({
    summary: 'Lists a folder, or answers with all that is below it as an archive (tar) where the request accepts one.',
    path: { path: treePath },
    query: {
      recursive: flag('Also what is below its folders.'),
      depth: { type: 'integer', minimum: 1, maximum: 9999, description: 'With recursive: how many levels.' },
    },
    answer: { json: [DirectoryShape], types: [archiveType] },
    statuses: [400, 422],
  }),
  treeWrite: operation({
    summary: 'Writes many files below a folder, from JSON or from an archive (tar).',
    path: { path: treePath },
    body: { json: TreeRequest, types: [archiveType] },
    answer: json(DirectoryShape),
    statuses: [400, 413, 422],
  }),
  treeDelete: operation({
    summary: 'Deletes a folder.',
    path: { path: treePath },
    query: { recursive: flag('Also when it is not empty.') },
    answer: json(ChangeShape),
    statuses: [400, 422],
  }),
  fileRead: operation({
    summary: 'Reads a file, as JSON or as bytes, or lists a folder.',
    path: { path: anyPath },
    query: { download: flag('The bytes, whatever is accepted.') },
    answer: { json: [FileWithContentShape, DirectoryShape], types: ['application/octet-stream'] },
    statuses: [206, 304, 400, 404, 413, 416, 422],
  }),
  fileWrite: operation({
    summary: 'Writes a file, from JSON or from a form, or makes a folder.',
    path: { path: anyPath },
    body: { json: FileRequest, orUpload: true },
    answer: json(ChangeShape),
    statuses: [400, 413, 422],
  }),
  fileDelete: operation({
    summary: 'Deletes a file or a folder.',
    path: { path: anyPath },
    query: { recursive: flag('Also a folder that is not empty.') },
    answer: json(ChangeShape),
    statuses: [400, 404, 422],
  }),
  watch: operation({
    summary: 'Streams changes of a folder, one JSON object a line; with /** at the end of the path also below it.',
    path: { path: anyPath },
    query: { ignore: text('Parts of paths to leave out, with commas between.') },
    answer: { types: ['text/plain'] },
    statuses: [400, 404, 422],
  }),
};
