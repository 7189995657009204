// The door of packages: what the first page offers of them.
export { ReadyApps } from './ready-apps.tsx'
