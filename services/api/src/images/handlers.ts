import { createImage, deleteImage, deleteImageTag, deleteUnusedImages, getImage, listImages } from '@berth/contract';
import { type Registration, read, write } from '../http/call.ts';
import * as remove from './delete.ts';
import * as find from './read.ts';
import { registerImage } from './register.ts';

export const imageHandlers: readonly Registration[] = [
  read(listImages, find.listImages),
  write(createImage, (call) => registerImage(call, call.body, call.query.upload === true)),
  write(deleteUnusedImages, remove.deleteUnusedImages),
  read(getImage, (call) => find.getImage(call, call.params.resourceType, call.params.imageName)),
  write(deleteImage, (call) => remove.deleteImage(call, call.params.resourceType, call.params.imageName)),
  write(deleteImageTag, (call) =>
    remove.deleteImageTag(call, call.params.resourceType, call.params.imageName, call.params.tagName),
  ),
];
