import { ApplyEditShape, RerankingShape } from '../answers.ts';
import { ApplyEditRequest } from '../codegen.ts';
import { anyPath, json, operationWithTag, text } from './operation.ts';

const operation = operationWithTag('Code');

export const codeOperations = {
  codeApply: operation({
    summary: 'Merges an edit into a file by a model.',
    path: { path: anyPath },
    body: { json: ApplyEditRequest },
    answer: json(ApplyEditShape),
    statuses: [400, 413, 422, 503],
  }),
  codeRank: operation({
    summary: 'Ranks the files of a folder by how well they fit a question.',
    path: { path: anyPath },
    query: {
      query: { ...text('The question.'), required: true },
      scoreThreshold: { type: 'number', default: 0.5, description: 'Lowest score to list.' },
      tokenLimit: { type: 'integer', minimum: 1, default: 30_000, description: 'How much to list.' },
      filePattern: text('Regular expression on the path.'),
    },
    answer: json(RerankingShape),
    statuses: [400, 404, 422, 503],
  }),
};
