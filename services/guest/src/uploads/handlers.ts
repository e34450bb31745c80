import type { HandlerTable } from '../http/call.ts';

export const uploadsHandlers = {
  uploadList: () => import('./show-uploads.ts').then(({ listUploads }) => listUploads),
  uploadInitiate: () => import('./initiate-upload.ts').then(({ initiateUpload }) => initiateUpload),
  uploadPart: () => import('./receive-upload-part.ts').then(({ receiveUploadPart }) => receiveUploadPart),
  uploadParts: () => import('./show-uploads.ts').then(({ listParts }) => listParts),
  uploadComplete: () => import('./end-upload.ts').then(({ completeUpload }) => completeUpload),
  uploadAbort: () => import('./end-upload.ts').then(({ abortUpload }) => abortUpload),
} satisfies HandlerTable;
