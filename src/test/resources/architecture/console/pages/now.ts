import type { Now } from "./now-rows";
import { pages } from "../parts/router";
export const now = (rows: Now) => [rows, pages];
