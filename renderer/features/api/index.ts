// The door of the API feature: how other features lead to it. The screen is loaded by the router.
export { requestsPath } from './api-places.ts'
