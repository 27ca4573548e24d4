import "./app/shell";
export * from "./record/api";
