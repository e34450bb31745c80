// pnpm guest: builds the folder that every sandbox mounts at /.berth, and prints where it is.
import { buildGuest } from './engines/guest/runtime.ts';

console.log(await buildGuest());
