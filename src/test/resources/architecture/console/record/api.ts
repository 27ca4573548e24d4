import { session } from "./session";
export const me = () => session;
