export const pages = [() => import("../pages/now")];
