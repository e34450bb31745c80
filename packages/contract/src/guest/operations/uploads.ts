import { PartReceiptShape, UploadInitiatedShape, UploadListShape, UploadPartListShape } from '../answers.ts';
import { ChangeShape } from '../mcp.ts';
import { UploadCompleteRequest, UploadInitiateRequest } from '../uploads.ts';
import { anyPath, json, operationWithTag } from './operation.ts';

const operation = operationWithTag('Uploads');

export const uploadsOperations = {
  uploadList: operation({ summary: 'Lists open uploads.', answer: json(UploadListShape), statuses: [] }),
  uploadInitiate: operation({
    summary: 'Opens an upload in parts.',
    path: { path: anyPath },
    body: { json: UploadInitiateRequest, optional: true },
    answer: json(UploadInitiatedShape),
    statuses: [400, 422],
  }),
  uploadPart: operation({
    summary: 'Takes one part; sent again, it replaces the former.',
    query: { partNumber: { type: 'integer', minimum: 1, maximum: 10_000, required: true, description: 'From 1.' } },
    body: 'upload',
    answer: json(PartReceiptShape),
    statuses: [400, 404, 413, 422],
  }),
  uploadParts: operation({
    summary: 'Lists the parts that are there.',
    answer: json(UploadPartListShape),
    statuses: [404],
  }),
  uploadComplete: operation({
    summary: 'Puts the parts together.',
    body: { json: UploadCompleteRequest },
    answer: json(ChangeShape),
    statuses: [400, 404, 409, 413, 422],
  }),
  uploadAbort: operation({ summary: 'Ends an upload.', answer: json(ChangeShape), statuses: [404] }),
};
