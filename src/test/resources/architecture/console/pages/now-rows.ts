import {
  now,
} from "./now";
export type Now = Parameters<typeof now>;
