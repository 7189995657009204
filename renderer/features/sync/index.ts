// The door of sync: what other parts of the application show of it. The screens are loaded by their own addresses.
export { useMayManage } from './use-may-manage.ts'
export { RecordSync } from './lazy-record-sync.tsx'
export { isOn, useSyncStatus } from './use-sync-status.ts'
