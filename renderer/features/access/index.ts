// The door of people and access: the frame its pages share, for the audit log.
export { AccessFailure, AccessPage } from './access-page.tsx'
export { everybodyQuery } from './access-queries.ts'
