import { ApiConfig } from '@berth/api/config';

/** Every key has a default, so that a first start needs no file. */
export const apiSection = ApiConfig.prefault({});
